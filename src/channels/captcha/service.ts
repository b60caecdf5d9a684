import { guardedFetch, type Fetch } from '../../core/guarded-fetch.js';
import type { ResealReport } from '../../platform/secrets.js';
import { AffiliateError, fail, failFields } from '../../errors.js';
import type { Deps } from './deps.js';
import { isSecret, keysOf, MASK, masked } from './presenter.js';
import { PROVIDERS } from './providers.js';
import {
  ANSWER_MAX,
  type CaptchaInput,
  type CaptchaSettings,
  type Challenge,
  type ProviderSettings,
} from './types.js';
import type { CaptchaTested } from './schemas.js';
import { NoVerdict, verifyAnswer } from './verify.js';

export const CAPTCHA = '_captcha_settings';
const PURPOSE = 'captcha';
const NONE: CaptchaSettings = { enabled: 'no', active_provider: 'recaptcha', providers: {} };

/**
 * Checks that a person fills in the sign-up form, by reCAPTCHA, hCaptcha or Turnstile. Secrets are stored
 * sealed.
 */
export class CaptchaService {
  readonly #fetch: Fetch;

  constructor(private readonly app: Deps) {
    this.#fetch = guardedFetch(app.options.registration.captcha);
  }

  settings(): Promise<CaptchaSettings> {
    return this.app.settings.read(CAPTCHA, NONE);
  }

  /**
   * Saves what is sent and leaves the rest. Errors: `validation_failed` when the check is switched on without
   * keys.
   */
  async save(input: CaptchaInput): Promise<CaptchaSettings> {
    return this.app.transaction(async (trx, afterCommit) => {
      const before = await this.app.settings.readLocked(trx, CAPTCHA, NONE);
      const after = this.#merged(before, input);
      requireKeys(after);
      await this.app.settings.write(trx, afterCommit, CAPTCHA, after);
      const shown = [masked(before), masked(after)] as const;
      await this.app.audit.write(trx, 'settings.captcha', ['settings', null], {
        before: shown[0],
        after: shown[1],
      });
      const { user } = this.app.context.current();
      afterCommit(() => this.app.hooks.doAction('settings_updated', 'captcha', shown[1], shown[0], user));
      return after;
    });
  }

  /** What the sign-up form shows; null when nothing is checked. */
  async challenge(): Promise<Challenge | null> {
    const settings = await this.settings();
    if (settings.enabled === 'no') return null;
    const { site, threshold } = keysOf(settings);
    const { active_provider: provider } = settings;
    return { provider, site_key: site, invisible: threshold !== null, field: PROVIDERS[provider].field };
  }

  /**
   * Checks the answer of a visitor. Errors: `captcha_failed`, `captcha_unavailable`. A right answer can be
   * used once.
   */
  async check(submitted: Readonly<Record<string, unknown>>): Promise<void> {
    const settings = await this.settings();
    if (settings.enabled === 'no') return;
    const { field } = PROVIDERS[settings.active_provider];
    const response = Object.hasOwn(submitted, field) ? submitted[field] : '';
    const isAnswer = typeof response === 'string' && response !== '' && response.length <= ANSWER_MAX;
    if (isAnswer && (await this.#isRight(settings, response))) return;
    const message = settings.providers[settings.active_provider]?.['error_message'];
    fail('captcha_failed', typeof message === 'string' && message !== '' ? { message } : {});
  }

  /** Would an answer of the provider's widget pass with these keys? Absent ones are the stored ones. */
  async test(input: CaptchaInput, response: string): Promise<CaptchaTested> {
    const settings = this.#merged(await this.settings(), input);
    requireKeys({ ...settings, enabled: 'yes' });
    try {
      return (await this.#isRight(settings, response))
        ? { valid: true, message: 'The keys work.' }
        : { valid: false, message: 'The provider rejected the response of its widget.' };
    } catch (error) {
      if (!(error instanceof AffiliateError)) throw error;
      const isRefused = error.cause instanceof NoVerdict;
      return {
        valid: false,
        message: isRefused ? 'The provider does not accept these keys.' : 'The provider cannot be reached.',
      };
    }
  }

  async #isRight(settings: CaptchaSettings, response: string): Promise<boolean> {
    const { verifyUrl } = PROVIDERS[settings.active_provider];
    const url = this.app.options.registration.captcha.verifyUrl || verifyUrl;
    const keys = keysOf(settings);
    const secret = this.app.secrets.open(PURPOSE, keys.secret);
    try {
      if (secret === null) throw new Error('The secret key was sealed with another secret. Save it again.');
      return await verifyAnswer(this.#fetch, { url, keys: { ...keys, secret }, answer: response });
    } catch (cause) {
      return fail('captcha_unavailable', { cause });
    }
  }

  #merged(before: CaptchaSettings, { providers = {}, ...rest }: CaptchaInput): CaptchaSettings {
    const changed = Object.entries(providers).map(([key, sent]) => [
      key,
      { ...before.providers[key as keyof typeof providers], ...this.#sealed(sent) },
    ]);
    return { ...before, ...rest, providers: { ...before.providers, ...Object.fromEntries(changed) } };
  }

  /** Seals the keys with the service's current secret. */
  async resealSecrets(): Promise<ResealReport> {
    return this.app.transaction(async (trx, afterCommit) => {
      const done = { renewed: 0, lost: 0 };
      const before = await this.app.settings.readLocked(trx, CAPTCHA, NONE);
      const renewed = (value: string | number): string | number => {
        const text = value === '' ? '' : this.app.secrets.renewed(PURPOSE, String(value));
        if (text === null) done.lost += 1;
        else if (text !== value) done.renewed += 1;
        return text ?? value;
      };
      const providers = Object.fromEntries(
        Object.entries(before.providers).map(([key, provider]) => [
          key,
          Object.fromEntries(
            Object.entries(provider).map(([name, value]) => [name, isSecret(name) ? renewed(value) : value]),
          ),
        ]),
      );
      if (JSON.stringify(providers) !== JSON.stringify(before.providers))
        await this.app.settings.write(trx, afterCommit, CAPTCHA, { ...before, providers });
      return done;
    });
  }

  /** Encrypts the secrets; one that was sent as its mask does not change. */
  #sealed(sent: ProviderSettings): ProviderSettings {
    const encrypted = (value: string | number): string =>
      value === '' ? '' : this.app.secrets.seal(PURPOSE, String(value));
    return Object.fromEntries(
      Object.entries(sent)
        .filter(([, value]) => value !== MASK)
        .map(([name, value]) => [name, isSecret(name) ? encrypted(value) : value]),
    );
  }
}

function requireKeys(settings: CaptchaSettings): void {
  if (settings.enabled === 'no') return;
  const { site, secret } = keysOf(settings);
  const at = `settings.providers.${settings.active_provider}`;
  const { title } = PROVIDERS[settings.active_provider];
  if (site !== '' && secret !== '') return;
  failFields({
    [at]: { required: `Enter the site key and the secret key of ${title} before you switch the check on.` },
  });
}
