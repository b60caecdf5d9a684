import { isMap, type JsonMap } from '../../core/is-map.js';
import { cleanHtml } from '../../core/html.js';
import { LANGUAGES, languageOf, type Language } from '../../core/localized.js';
import { cut, LINE, LINES } from '../../core/text.js';
import { fail, FieldCheck } from '../../errors.js';
import { isYes } from '../../core/yes-no.js';
import type { Deps } from './deps.js';
import type { EmailDto } from './schemas.js';
import type { ExtensionMail } from '../../core/extension-parts.js';
import { mailsOfExtensions, templateOfExtension } from './extension-mails.js';
import { SMART_CODES, templatesIn } from './templates.js';
import { sayIn } from '../../core/mail-texts.js';
import { EMAIL_KEYS, type EmailSettings, type EmailTemplate, type MailText } from './types.js';

export const EMAIL_NOTIFICATIONS = 'email_notifications';

type SavedTexts = Readonly<Record<string, EmailSettings>>;
type SmartCodes = readonly {
  readonly key: string;
  readonly title: string;
  readonly shortcodes: Readonly<Record<string, string>>;
}[];
const SUBJECT_MAX = 255;
const BODY_MAX = 65_535;

/** The notifications as a program manager has set them (docs/settings.md §2.2). */
export class Notifications {
  readonly #ofExtensions: ReadonlyMap<string, ExtensionMail>;

  constructor(private readonly app: Deps) {
    this.#ofExtensions = new Map(mailsOfExtensions(app).map((mail) => [mail.key, mail]));
  }

  /** Text and recipient of a mail, in a language (default: that of the site); null for an unknown key. */
  template(key: unknown, language = this.app.host.site().language): EmailTemplate | null {
    const builtIn = EMAIL_KEYS.find((known) => known === key);
    if (builtIn) return templatesIn(sayIn(language))[builtIn];
    const own = this.#ofExtensions.get(String(key));
    return own === undefined ? null : templateOfExtension(own, language);
  }

  /**
   * Subject and body for a reader of this language. Each is the own text in the language, otherwise the own text for
   * all languages, otherwise the built-in one in the language.
   */
  textIn(key: string, settings: EmailSettings, language: string | undefined): MailText {
    const { subject, body } = this.template(key, language) ?? fail('invalid_email_key');
    const reads = languageOf(language);
    const own = reads === null ? undefined : settings.texts?.[reads];
    const ofAll = settings.is_default_body === 'yes' ? '' : settings.email_body;
    return {
      subject: own?.subject || (this.#isBuiltIn(key, settings.subject) ? subject : settings.subject),
      email_body: own?.email_body || ofAll || body,
    };
  }

  /** The subject is stored with every change of a mail, in the language the site had. */
  #isBuiltIn(key: string, subject: string): boolean {
    return LANGUAGES.some((language) => this.template(key, language)?.subject === subject);
  }

  /** The built-in texts of a mail in every language. */
  #builtInTexts(key: string): Record<Language, MailText> {
    return Object.fromEntries(
      LANGUAGES.map((language) => {
        const { subject, body } = this.template(key, language) ?? fail('invalid_email_key');
        return [language, { subject, email_body: body }];
      }),
    ) as Record<Language, MailText>;
  }

  /** A mail that an extension has named; throws `invalid_email_key` otherwise. */
  ofExtension(key: string): ExtensionMail {
    return this.#ofExtensions.get(key) ?? fail('invalid_email_key');
  }

  /** The codes that can be put into mails, by group. The last groups belong to one mail each. */
  get smartCodes(): SmartCodes {
    const own = [...this.#ofExtensions.keys()].map((key) => {
      const { title = key, codes = {} } = this.template(key) ?? {};
      const shortcodes = Object.entries(codes).map(([name, { label }]) => [`{{mail.${name}}}`, label]);
      return { key, title, shortcodes: Object.fromEntries(shortcodes) as Record<string, string> };
    });
    return [...SMART_CODES, ...own];
  }

  async settingsOf(key: string): Promise<EmailSettings> {
    return this.#settingsIn(await this.#stored(), key);
  }

  /** The settings that count: stored or the default, and a mail that is required is on. */
  #settingsIn(stored: SavedTexts, key: string): EmailSettings {
    const { subject, isRequired = false } = this.template(key) ?? fail('invalid_email_key');
    const settings: EmailSettings = stored[key] ?? {
      active: 'yes',
      subject,
      is_default_body: 'yes',
      email_body: '',
    };
    return isRequired ? { ...settings, active: 'yes' } : settings;
  }

  /** What `save` would store; nothing is saved. */
  async changed(key: string, data: JsonMap): Promise<EmailSettings> {
    return this.#merged(key, await this.settingsOf(key), data);
  }

  #merged(key: string, current: EmailSettings, data: JsonMap): EmailSettings {
    const merged = merge(current, data);
    if (merged.active === 'no' && this.template(key)?.isRequired === true) fail('email_required');
    return merged;
  }

  async list(): Promise<EmailDto[]> {
    const stored = await this.#stored();
    return [...EMAIL_KEYS, ...this.#ofExtensions.keys()].map((key) => {
      const template = this.template(key) ?? fail('invalid_email_key');
      const { title, description, recipient, smartcode_groups: groups, body, isSecurity } = template;
      return {
        name: key,
        email_key: key,
        title,
        description,
        recipient,
        smartcode_groups: groups.map((group) => (group === 'mail' ? key : group)),
        settings: this.#settingsIn(stored, key),
        default_body: body,
        default_texts: this.#builtInTexts(key),
        group: isSecurity === true ? 'security' : recipient,
        required: template.isRequired === true ? 'yes' : 'no',
      };
    });
  }

  all(): Promise<SavedTexts> {
    return this.#stored();
  }

  /** Changes one notification; absent and empty fields do not change. */
  async save(
    key: unknown,
    data: JsonMap,
  ): Promise<{ key: string; settings: EmailSettings; all: SavedTexts }> {
    if (typeof key !== 'string' || this.template(key) === null) return fail('invalid_email_key');
    const all = await this.#write({ [key]: data });
    return { key, settings: this.#settingsIn(all, key), all };
  }

  /** Changes several, or none: a list of entries or an object by key. */
  async saveAll(emails: unknown): Promise<SavedTexts> {
    const entries = Array.isArray(emails)
      ? (emails as JsonMap[]).map(
          (entry) =>
            [entry?.['email_key'] ?? entry?.['name'], entry?.['settings'] ?? entry?.['data']] as const,
        )
      : Object.entries((emails ?? {}) as JsonMap).map(
          ([key, entry]) =>
            [key, (entry as JsonMap)?.['settings'] ?? (entry as JsonMap)?.['data'] ?? entry] as const,
        );
    if (entries.some(([key]) => this.template(key) === null)) fail('invalid_email_key');
    return this.#write(
      Object.fromEntries(entries.map(([key, data]) => [key, data ?? {}])) as Record<string, JsonMap>,
    );
  }

  async #write(changes: Readonly<Record<string, JsonMap>>): Promise<SavedTexts> {
    return this.app.transaction(async (trx, afterCommit) => {
      const stored = await this.app.settings.readLocked<SavedTexts>(trx, EMAIL_NOTIFICATIONS, {});
      const next = {
        ...stored,
        ...Object.fromEntries(
          Object.entries(changes).map(([key, data]) => [
            key,
            this.#merged(key, this.#settingsIn(stored, key), data),
          ]),
        ),
      };
      await this.app.settings.write(trx, afterCommit, EMAIL_NOTIFICATIONS, next);
      afterCommit(() =>
        this.app.hooks.doAction(
          'settings_updated',
          'email_notifications',
          Object.keys(changes),
          null,
          this.app.context.current().user,
        ),
      );
      return next;
    });
  }

  async #stored(): Promise<SavedTexts> {
    return this.app.settings.read<SavedTexts>(EMAIL_NOTIFICATIONS, {});
  }
}

const flag = (value: unknown): 'yes' | 'no' => (isYes(value) ? 'yes' : 'no');

/** `at`: what comes before the names of the fields. */
function checkText(check: FieldCheck, { subject, email_body: body }: MailText, at = ''): void {
  if (body.length > BODY_MAX) check.add(`${at}email_body`, 'max', `Use at most ${BODY_MAX} characters.`);
  if (!LINES.fits(body)) check.add(`${at}email_body`, LINES.rule, LINES.says);
  if (!LINE.fits(subject)) check.add(`${at}subject`, LINE.rule, LINE.says);
  if (cut(subject, SUBJECT_MAX) !== subject)
    check.add(`${at}subject`, 'max', `Use at most ${SUBJECT_MAX} characters.`);
}

/** The language in the form `de`; 422 for any other value. */
export function languageIn(field: string, value: unknown): Language {
  const check = new FieldCheck();
  checkLanguage(check, field, value);
  check.throwIfAny();
  return value as Language;
}

const checkLanguage = (check: FieldCheck, field: string, value: unknown): boolean => {
  const isKnown = LANGUAGES.some((language) => language === value);
  if (!isKnown) check.add(field, 'in', `Language must be one of: ${LANGUAGES.join(', ')}.`);
  return isKnown;
};

const NO_TEXT: MailText = { subject: '', email_body: '' };

/** A text after a change; `null` removes it, and a part that is absent does not change. */
function changedText(old: MailText, change: JsonMap | null): MailText {
  const { subject, email_body: body } = change === null ? NO_TEXT : { ...old, ...change };
  return { subject: String(subject ?? '').trim(), email_body: String(body ?? '') };
}

/** The texts by language after a change; languages that are absent do not change. */
function mergeTexts(
  check: FieldCheck,
  current: EmailSettings['texts'],
  changes: unknown,
): Pick<EmailSettings, 'texts'> {
  if (!isMap(changes)) check.add('texts', 'object', 'Send an object with one text per language.');
  const texts = new Map(Object.entries(current ?? {}));
  for (const [language, change] of Object.entries(isMap(changes) ? changes : {})) {
    const field = `texts.${language}`;
    if (!checkLanguage(check, field, language)) continue;
    if (change !== null && !isMap(change)) {
      check.add(field, 'object', 'Send subject and text, or null.');
      continue;
    }
    const text = changedText(texts.get(language) ?? NO_TEXT, change);
    checkText(check, text, `${field}.`);
    const clean = { ...text, email_body: cleanHtml(text.email_body) };
    if (clean.subject === '' && clean.email_body === '') texts.delete(language);
    else texts.set(language, clean);
  }
  return texts.size === 0 ? {} : { texts: Object.fromEntries(texts) };
}

// Switching the mail off does not remove a changed body; the default body is not stored.
function merge(current: EmailSettings, data: JsonMap): EmailSettings {
  const active = data['active'] ? flag(data['active']) : current.active;
  const body =
    typeof data['email_body'] === 'string' && data['email_body'] !== '' ? data['email_body'] : undefined;
  const subject = typeof data['subject'] === 'string' ? data['subject'].trim() : '';
  const check = new FieldCheck();
  checkText(check, { subject, email_body: body ?? '' });
  const texts = mergeTexts(check, current.texts, data['texts'] ?? {});
  check.throwIfAny();
  const merged: EmailSettings = {
    active,
    subject: subject === '' ? current.subject : subject,
    is_default_body: data['is_default_body'] ? flag(data['is_default_body']) : current.is_default_body,
    email_body: body === undefined ? current.email_body : cleanHtml(body),
    ...texts,
  };
  return merged.is_default_body === 'yes' ? { ...merged, email_body: '' } : merged;
}
