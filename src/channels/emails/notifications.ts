import type { JsonMap } from '../../core/is-map.js';
import { cleanHtml } from '../../core/html.js';
import { cut, LINE, LINES } from '../../core/text.js';
import { fail, FieldCheck } from '../../errors.js';
import { isYes } from '../../core/yes-no.js';
import type { Deps } from './deps.js';
import type { EmailDto } from './schemas.js';
import { TEMPLATES, templatesIn } from './templates.js';
import { sayIn } from '../../core/mail-texts.js';
import { EMAIL_KEYS, type EmailKey, type EmailSettings } from './types.js';

export const EMAIL_NOTIFICATIONS = 'email_notifications';

type SavedTexts = Partial<Record<EmailKey, EmailSettings>>;
const SUBJECT_MAX = 255;
const BODY_MAX = 65_535;

const isKey = (key: unknown): key is EmailKey => EMAIL_KEYS.includes(key as EmailKey);
const defaultsOf = (app: Deps, key: EmailKey): EmailSettings => ({
  active: 'yes',
  subject: templatesOf(app)[key].subject,
  is_default_body: 'yes',
  email_body: '',
});

const isRequired = (key: EmailKey): boolean => TEMPLATES[key].isRequired === true;
/** The settings that count: stored or the default, and a mail that is required is on. */
function settingsIn(app: Deps, stored: SavedTexts, key: EmailKey): EmailSettings {
  const settings = stored[key] ?? defaultsOf(app, key);
  return isRequired(key) ? { ...settings, active: 'yes' } : settings;
}

/** Our own texts, in the language of the site. */
export const templatesOf = (app: Deps): ReturnType<typeof templatesIn> =>
  templatesIn(sayIn(app.host.site().language));

/** The notifications as a program manager has set them (docs/settings.md §2.2). */
export class Notifications {
  constructor(private readonly app: Deps) {}

  async settingsOf(key: EmailKey): Promise<EmailSettings> {
    return settingsIn(this.app, await this.#stored(), key);
  }

  /** What `save` would store; nothing is saved. */
  async changed(key: EmailKey, data: JsonMap): Promise<EmailSettings> {
    return merge(key, await this.settingsOf(key), data);
  }

  async list(): Promise<EmailDto[]> {
    const stored = await this.#stored();
    const templates = templatesOf(this.app);
    return EMAIL_KEYS.map((key) => {
      const { title, description, recipient, smartcode_groups, body, isSecurity } = templates[key];
      return {
        name: key,
        email_key: key,
        title,
        description,
        recipient,
        smartcode_groups,
        settings: settingsIn(this.app, stored, key),
        default_body: body,
        group: isSecurity === true ? 'security' : recipient,
        required: isRequired(key) ? 'yes' : 'no',
      };
    });
  }

  all(): Promise<SavedTexts> {
    return this.#stored();
  }

  /** Changes one notification; absent and empty fields stay. */
  async save(
    key: unknown,
    data: JsonMap,
  ): Promise<{ key: EmailKey; settings: EmailSettings; all: SavedTexts }> {
    if (!isKey(key)) return fail('invalid_email_key');
    const all = await this.#write({ [key]: data });
    return { key, settings: settingsIn(this.app, all, key), all };
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
    if (entries.some(([key]) => !isKey(key))) fail('invalid_email_key');
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
            merge(key as EmailKey, settingsIn(this.app, stored, key as EmailKey), data),
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

function checkTexts(subject: string, body: string): void {
  const check = new FieldCheck();
  if (body.length > BODY_MAX) check.add('email_body', 'max', `Use at most ${BODY_MAX} characters.`);
  if (!LINES.fits(body)) check.add('email_body', LINES.rule, LINES.says);
  if (!LINE.fits(subject)) check.add('subject', LINE.rule, LINE.says);
  if (cut(subject, SUBJECT_MAX) !== subject)
    check.add('subject', 'max', `Use at most ${SUBJECT_MAX} characters.`);
  check.throwIfAny();
}

// A body that was changed is kept when the mail is switched off; the default body is not stored.
function merge(key: EmailKey, current: EmailSettings, data: JsonMap): EmailSettings {
  const active = data['active'] ? flag(data['active']) : current.active;
  if (active === 'no' && isRequired(key)) fail('email_required');
  const body =
    typeof data['email_body'] === 'string' && data['email_body'] !== '' ? data['email_body'] : undefined;
  const subject = typeof data['subject'] === 'string' ? data['subject'].trim() : '';
  checkTexts(subject, body ?? '');
  const merged: EmailSettings = {
    active,
    subject: subject === '' ? current.subject : subject,
    is_default_body: data['is_default_body'] ? flag(data['is_default_body']) : current.is_default_body,
    email_body: body === undefined ? current.email_body : cleanHtml(body),
  };
  return merged.is_default_body === 'yes' ? { ...merged, email_body: '' } : merged;
}
