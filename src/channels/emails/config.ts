import type { HostMail } from '../../../adapters/host.js';
import type { JsonMap } from '../../core/is-map.js';
import { isEmail } from '../../core/address.js';
import { cleanHtml } from '../../core/html.js';
import { LINE, LINES } from '../../core/text.js';
import { fail, FieldCheck } from '../../errors.js';
import { read, refused, word, yesOrNo, type ReadResult } from '../../records/checked.js';
import type { Deps } from './deps.js';
import type { Say } from '../../core/mail-texts.js';
import type { EmailConfig, MailReader } from './types.js';

export const EMAIL_CONFIG = 'global_email_settings';

const DAYS = ['daily', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday', 'never'];
const COLOR = /^(?:#(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})|rgba?\([\d\s.,%/]{1,40}\)|[a-z]{3,30})$/i;
const NAME_MAX = 191;

const TAKES_PART =
  'You get this mail because you take part in the affiliate program of {{site.name_with_url}}.';
const RUNS_IT = 'You get this mail because you run the affiliate program of {{site.name_with_url}}.';
const APPLIED = 'You get this mail because you applied to the affiliate program of {{site.name_with_url}}.';
const OURS = `<p>${TAKES_PART}</p>`;

const REASONS: Readonly<Record<MailReader, string>> = {
  admin: RUNS_IT,
  affiliate: TAKES_PART,
  applicant: APPLIED,
};

/** The footer of a mail: the one in the settings, or our own, which explains why this reader gets it. */
export const footerFor = (reader: MailReader, { email_footer: footer }: EmailConfig, say: Say): string =>
  footer === OURS ? `<p>${say(REASONS[reader])}</p>` : footer;

export const emailDefaults = (app: Deps): EmailConfig => ({
  logo: '',
  body_bg: '#f3f4f6',
  content_bg: '#ffffff',
  content_color: '#374151',
  footer_content_color: '#6b7280',
  highlight_bg: 'rgb(249, 250, 251)',
  highlight_color: '#374151',
  font_family: '',
  template: 'default',
  email_footer: OURS,
  send_from_email: '',
  send_from_name: '',
  reply_to_email: '',
  reply_to_name: '',
  disable_powered_by: 'no',
  summary_email_day: 'daily',
  admin_email: app.host.site().adminEmail ?? '',
});

/** The stored values, with defaults for absent ones; a blank value is blank (docs/settings.md §2.1). */
export async function readEmailConfig(app: Deps): Promise<EmailConfig> {
  const merged = {
    ...emailDefaults(app),
    ...(await app.settings.read<Partial<EmailConfig>>(EMAIL_CONFIG, {})),
  };
  return (await app.hooks.applyFilters('get_email_config', merged)) as EmailConfig;
}

type Rule = (value: string) => ReadResult<string>;
const color: Rule = (value) =>
  COLOR.test(value.trim())
    ? read(value.trim())
    : refused('in', 'Use a color: #rgb, #rrggbb, rgb() or a name.');
const oneLine =
  (max: number, forbidden?: RegExp): Rule =>
  (value) => {
    const text = value.trim();
    if (!LINE.fits(text) || forbidden?.test(text) === true)
      return refused('string', 'Some characters are not allowed here.');
    return text.length > max ? refused('max', `Use at most ${max} characters.`) : read(text);
  };

const RULES: Readonly<Record<string, Rule>> = {
  logo: (value) =>
    value.trim() === '' || /^https?:\/\/\S{1,2040}$/.test(value.trim())
      ? read(value.trim())
      : refused('string', 'Use an http(s) address.'),
  body_bg: color,
  content_bg: color,
  content_color: color,
  footer_content_color: color,
  highlight_bg: color,
  highlight_color: color,
  font_family: oneLine(100, /[;{}<>]/),
  template: () => read('default'),
  email_footer: (value) =>
    LINES.fits(value) ? read(cleanHtml(value)) : refused('string', 'Some characters are not allowed here.'),
  send_from_name: oneLine(NAME_MAX),
  reply_to_name: oneLine(NAME_MAX),
  disable_powered_by: (value) => yesOrNo(value === '' ? 'no' : value),
  summary_email_day: word(...DAYS),
  admin_email: (value) => {
    const parts = [...new Set(value.split(',').map((part) => part.trim()))].filter((part) => part !== '');
    return parts.every(isEmail)
      ? read(parts.join(','))
      : refused(
          'email',
          'Write e-mail addresses separated by commas, such as ann@shop.example, bob@shop.example.',
        );
  },
};

/** Saves the given keys; others do not change. */
export async function saveEmailConfig(app: Deps, input: JsonMap): Promise<EmailConfig> {
  const known = Object.keys(emailDefaults(app));
  const check = new FieldCheck();
  const changes: Record<string, string> = {};
  for (const key of known.filter((name) => Object.hasOwn(input, name))) {
    const value = input[key] === null ? '' : String(input[key]);
    if (key === 'send_from_email' || key === 'reply_to_email') changes[key] = checkMail(value.trim());
    else {
      const result = (RULES[key] ?? read)(value);
      if (result.kind === 'read') changes[key] = result.value;
      else check.add(key, result.rule, result.says);
    }
  }
  check.throwIfAny();
  const filtered = await app.hooks.applyFilters('update_email_config', changes);
  await app.transaction(async (trx, afterCommit) => {
    const previous = await app.settings.readLocked<JsonMap>(trx, EMAIL_CONFIG, {});
    const next = { ...previous, ...filtered };
    await app.settings.write(trx, afterCommit, EMAIL_CONFIG, next);
    afterCommit(() =>
      app.hooks.doAction('settings_updated', 'email_config', next, previous, app.context.current().user),
    );
  });
  return readEmailConfig(app);
}

const checkMail = (value: string): string => (value === '' || isEmail(value) ? value : fail('invalid_email'));

/** Sender and reply address of every mail, where they are set. */
export function sendersOf(config: EmailConfig): Pick<HostMail, 'from' | 'replyTo'> {
  const from = addressLine(config.send_from_name, config.send_from_email);
  const replyTo = addressLine(config.reply_to_name, config.reply_to_email);
  return {
    ...(from === undefined ? {} : { from }),
    ...(replyTo === undefined ? {} : { replyTo }),
  };
}

/** `name <mail>` when both are set, the bare mail when only it is; a name alone is ignored. */
function addressLine(name: string, mail: string): string | undefined {
  if (mail === '') return undefined;
  return name === '' ? mail : `"${name.replaceAll(/["\\\r\n]/g, '')}" <${mail}>`;
}
