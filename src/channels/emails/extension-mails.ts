import { cleanHtml } from '../../core/html.js';
import type { ExtensionMail } from '../../core/extension-parts.js';
import { localized } from '../../core/localized.js';
import { LINES } from '../../core/text.js';
import { fail, FieldCheck } from '../../errors.js';
import type { QueueEntry } from '../../program/outbox/types.js';
import type { Deps } from './deps.js';
import {
  EMAIL_KEYS,
  type CodeGroup,
  type EmailTemplate,
  type MailSubject,
  type MailToSend,
} from './types.js';

const GROUPS: readonly CodeGroup[] = ['affiliate', 'user', 'site', 'mail'];
const ID_MAX = 90;
const VALUE_MAX = 1000;

/** The mails of all extensions. Throws a TypeError when one has the key of a built-in mail. */
export function mailsOfExtensions(app: Pick<Deps, 'options'>): readonly ExtensionMail[] {
  const mails = app.options.extensions.flatMap(({ mails: own = [] }) => own);
  const taken = mails.find(({ key }) => EMAIL_KEYS.some((known) => known === key));
  if (taken)
    throw new TypeError(`Option "extensions": "${taken.key}" is a built-in mail. Choose another key.`);
  return mails;
}

/** A mail of an extension in the form of the built-in ones, in the language of the site. */
export function templateOfExtension(mail: ExtensionMail, language: string | undefined): EmailTemplate {
  const codes = Object.entries(mail.codes ?? {}).map(
    ([name, { label, example }]) => [name, { label: localized(label, language), example }] as const,
  );
  return {
    title: localized(mail.title, language),
    description: localized(mail.description, language),
    recipient: mail.recipient,
    smartcode_groups: GROUPS,
    subject: localized(mail.subject, language),
    body: cleanHtml(localized(mail.body, language)),
    codes: Object.fromEntries(codes),
  };
}

/** What a preview shows where `send` gets values. */
export const examplesOf = ({ codes = {} }: EmailTemplate): Pick<MailSubject, 'values'> => ({
  values: Object.fromEntries(Object.entries(codes).map(([name, { example }]) => [name, example])),
});

/** The entry of the outbox for a mail of an extension. Throws 422 with one entry for each wrong field. */
export async function entryFor(app: Deps, mail: ExtensionMail, toSend: MailToSend): Promise<QueueEntry> {
  checkMail(mail, toSend);
  const { key, recipient } = mail;
  const { affiliate_id: affiliateId, id, values = {} } = toSend;
  if (affiliateId !== undefined && (await app.affiliates.find(affiliateId)) === null)
    fail('affiliate_not_found');
  return {
    event: `mail:${key}:${id}`,
    recipient: recipient === 'admin' ? 'admin' : `affiliate:${affiliateId}`,
    kind: key,
    payload: {
      ...(affiliateId !== undefined && { affiliate_id: affiliateId }),
      values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])),
    },
  };
}

function checkMail({ recipient, codes = {} }: ExtensionMail, toSend: MailToSend): void {
  const { affiliate_id: affiliateId, id, values = {} } = toSend;
  const check = new FieldCheck();
  if (typeof id !== 'string' || id === '' || id.length > ID_MAX)
    check.add('id', 'string', `Pass a text of 1 to ${ID_MAX} characters that names the occasion.`);
  if (affiliateId === undefined && recipient === 'affiliate')
    check.add('affiliate_id', 'required', 'A mail to an affiliate needs its id.');
  for (const [name, value] of Object.entries(values)) {
    if (!Object.hasOwn(codes, name))
      check.add(`values.${name}`, 'unknown', `The mail has these codes: ${Object.keys(codes).join(', ')}.`);
    else if (String(value).length > VALUE_MAX || !LINES.fits(String(value)))
      check.add(`values.${name}`, 'max', `Use at most ${VALUE_MAX} characters, without control characters.`);
  }
  check.throwIfAny();
}
