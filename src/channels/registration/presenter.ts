import { escapeHtml } from '../../core/text.js';
import { HONEYPOT } from './built-in.js';
import type { SignupFormDto, SignupOutcomeDto, SignupStateDto } from './schemas.js';
import type { SignupForm, SignupOutcome, SignupState } from './types.js';

const TEXTS: Readonly<Record<string, string>> = {
  active: 'Welcome! Your affiliate account is active.',
  pending: 'Thank you. Your application is waiting for approval; you will get a mail.',
  inactive: 'Your affiliate account is not active. Please contact us.',
  none: 'You are not an affiliate yet.',
  guest: 'Sign in or apply to become an affiliate.',
};
const CODE_SENT = 'We have sent you a mail with a code. Enter it to finish.';

const textFor = (status: string): string => TEXTS[status] ?? TEXTS['inactive'] ?? '';

export function presentForm(form: SignupForm): SignupFormDto {
  const { fields, settings, supported, affiliate, redirectUrl, captcha } = form;
  return {
    enabled: settings.enabled,
    supported: supported ? 'yes' : 'no',
    honeypot: HONEYPOT,
    fields: affiliate ? [] : fields,
    ...(captcha && !affiliate ? { captcha } : {}),
    ...(affiliate && { status: affiliate.status, redirect_url: redirectUrl ?? '' }),
  };
}

/** The keys that existing forms expect (one of them is misspelled), and the same under plain names. */
export function presentOutcome(outcome: SignupOutcome): SignupOutcomeDto {
  if (outcome.kind === 'applied') {
    const {
      affiliate: { status },
      redirectUrl,
    } = outcome;
    const message = textFor(status);
    return { message, status, success_html: `<p>${escapeHtml(message)}</p>`, redirect_url: redirectUrl };
  }
  const { reference, expiresIn } = outcome;
  const html =
    `<p>${escapeHtml(CODE_SENT)}</p><input type="hidden" name="__two_fa_signed_token" value="${reference}">` +
    '<label>Code <input name="_email_verification_code" inputmode="numeric" autocomplete="one-time-code" maxlength="6" required></label>';
  return {
    message: CODE_SENT,
    status: 'code_sent',
    reference,
    expires_in: expiresIn,
    verifcation_html: html,
  };
}

export const presentState = ({ state, registration, redirectUrl }: SignupState): SignupStateDto => ({
  state,
  registration,
  message: textFor(state),
  redirect_url: redirectUrl,
});
