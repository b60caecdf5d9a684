import type { FieldErrors, RegistrationField } from 'affiliate-service';
import { message } from './layout.js';
import { Html, html, type Piece } from './html.js';

export interface SignupView {
  readonly fields: readonly RegistrationField[];
  /** A field people do not see; whoever fills it in is a program. */
  readonly bait: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly errors: FieldErrors;
  readonly error?: string;
}

export function signupForm({ fields, bait, values, errors, error }: SignupView): Html {
  return html`<section class="narrow">
    <h1>Earn with us</h1>
    ${error && html`<p class="alert" role="alert">${error}</p>`}
    <form method="post" action="/signup" class="panel stack">
      ${fields.map((field) => input(field, values[field.name] ?? field.value, errors[field.name]))}
      <div class="hidden" aria-hidden="true">
        <label>Leave this empty <input name="${bait}" tabindex="-1" autocomplete="off" /></label>
      </div>
      <button type="submit">Apply</button>
    </form>
  </section>`;
}

function input(
  field: RegistrationField,
  value: unknown,
  errors: Readonly<Record<string, string>> | undefined,
): Piece {
  // Markup of the form's editor, cleaned by the service.
  if (field.type === 'raw_html') return html`<div>${new Html(field.html ?? '')}</div>`;
  const note = [
    field.help_text && html`<span class="hint">${field.help_text}</span>`,
    errors && html`<span class="alert">${Object.values(errors).join(' ')}</span>`,
  ];
  const required = field.required === 'yes' && html` required`;
  if (field.type === 'inline_checkbox') {
    return html`<label class="choice"
      ><input
        type="checkbox"
        name="${field.name}"
        value="yes"
        ${value === 'yes' && html` checked`}${required}
      />
      ${new Html(field.inline_label ?? '')}${note}</label
    >`;
  }
  return html`<label
    >${field.label}
    ${field.required === 'no' && html`<span class="hint">optional</span>`}${control(field, value, required)}${note}</label
  >`;
}

const AUTOCOMPLETE: Readonly<Record<string, string>> = {
  full_name: 'name',
  email: 'email',
  username: 'username',
  password: 'new-password',
  conf_password: 'new-password',
  url: 'url',
  payment_email: 'email',
};

function control(
  { name, type, placeholder, readonly, options = [] }: RegistrationField,
  value: unknown,
  required: Piece,
): Html {
  const chosen = (Array.isArray(value) ? value : [value]).map(String);
  if (type === 'textarea')
    return html`<textarea name="${name}" rows="4" placeholder="${placeholder}" ${required}>
${chosen[0]}</textarea>`;
  if (type === 'select' || type === 'radio' || type === 'multiselect') {
    return html`<select name="${name}" ${type === 'multiselect' && html` multiple`}${required}>
      ${type !== 'multiselect' && html`<option value="">Choose</option>`}
      ${options.map((option) => html`<option${chosen.includes(option) && html` selected`}>${option}</option>`)}
    </select>`;
  }
  // Typed again after a mistake, as everywhere.
  const shown = type === 'password' ? '' : chosen[0];
  return html`<input
    type="${type}"
    name="${name}"
    value="${shown}"
    placeholder="${placeholder}"
    autocomplete="${AUTOCOMPLETE[name] ?? 'off'}"
    ${readonly === 'yes' && html` readonly`}${required}
  />`;
}

export const codeForm = ({
  reference,
  error,
}: {
  readonly reference: string;
  readonly error?: string;
}): Html =>
  html`<section class="narrow">
    <h1>Your code</h1>
    ${error && html`<p class="alert" role="alert">${error}</p>`}
    <p>
      A mail with a code of six digits would be on its way to you now. This example prints its mails in the
      terminal where it runs.
    </p>
    <form method="post" action="/signup/code" class="panel stack">
      <input type="hidden" name="reference" value="${reference}" />
      <label
        >Code
        <input name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="6" required autofocus
      /></label>
      <button type="submit">Finish</button>
    </form>
    <p><a href="/signup">Start again</a></p>
  </section>`;

export const closed = (): Html => message('Sign-up is closed', 'We take no new affiliates at the moment.');

/** What somebody who has applied sees. */
export function standing(status: string): Html {
  if (status === 'active') {
    return html`<section class="narrow">
      <h1>Welcome!</h1>
      <p>You are an affiliate. Your link is ready.</p>
      <p><a class="button" href="/affiliate">My earnings</a></p>
    </section>`;
  }
  return status === 'pending'
    ? message('Thank you', 'Your application is waiting for approval. You will hear from us.')
    : message('Not active', 'Your affiliate account is not active. Please write to us.');
}
