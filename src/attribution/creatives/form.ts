import { toSite } from '../../core/dates.js';
import { HTML } from '../../core/html.js';
import { LINES } from '../../core/text.js';
import { FieldCheck } from '../../errors.js';
import { isMissing, isScalar, readText } from '../../records/form.js';
import { hasLinkCode } from './link-code.js';
import { mergeMeta } from './meta.js';
import { creatives } from './record.js';
import { statusAt } from './schedule.js';
import type { CreativeFields, CreativeForm, CreativeStatus, CreativeType } from './types.js';

export interface FormContext {
  readonly timeZone: string;
  readonly now: number;
}

export const DEFAULTS: CreativeFields = {
  name: '',
  description: '',
  type: 'image',
  image: '',
  text: '',
  url: '',
  privacy: 'public',
  status: 'active',
  starts_at: null,
  ends_at: null,
  meta: {},
  affiliate_ids: [],
  group_ids: [],
};

const TEXT_MAX = 65_535;
const IDS_MAX = 5000;

/**
 * The fields of a creative after a form. Absent keys have the value of `base`, and the result is checked as a
 * whole: an unchanged text has to suit a new type. Rules of single fields are in record.ts.
 */
export function readFields(
  form: CreativeForm,
  base: CreativeFields,
  { timeZone, now }: FormContext,
): CreativeFields {
  const check = new FieldCheck();
  const reader = creatives.readForm(check, { ...base, ...withoutBlankWords(form) });
  const type = reader.read('type');
  const details = mergeMeta(form.meta, base, check, timeZone);
  const fields = {
    name: reader.read('name', true),
    description: reader.read('description'),
    type,
    image: reader.read('image'),
    text: readBody(check, form, base, type),
    url: reader.read('url', true),
    privacy: reader.read('privacy'),
    ...details,
    affiliate_ids: readIds(check, 'affiliate_ids', form, base),
    group_ids: readIds(check, 'group_ids', form, base),
  };
  if ((type === 'image' || type === 'banner') && !fields.image)
    check.add('image', 'required_if', 'The picture is required for this type.');
  const status = scheduledStatus(check, reader.read('status'), base, details, now);
  check.throwIfAny();
  return { ...fields, status: statusAt({ status, ...details }, now) };
}

/** A blank word means no change. */
const withoutBlankWords = (form: CreativeForm): CreativeForm =>
  Object.fromEntries(
    Object.entries(form).filter(([name, value]) =>
      ['type', 'privacy', 'status'].includes(name) ? !isMissing(value) : value !== undefined,
    ),
  );

/** Cleans the text by the rules of its type. HTML without the code for the link would credit no affiliate. */
function readBody(
  check: FieldCheck,
  form: CreativeForm,
  base: CreativeFields,
  type: CreativeType,
): string | null {
  const value = form.text === undefined ? base.text : form.text;
  const field = { check, name: 'text', value, required: false, currency: '' };
  const text = value === null ? null : readText(field, TEXT_MAX, type === 'html' ? HTML : LINES);
  if ((type === 'html' || type === 'text') && !text)
    check.add('text', 'required_if', 'The text is required for this type.');
  const isWritten = form.text !== undefined || type !== base.type;
  if (type === 'html' && text && isWritten && !hasLinkCode(text))
    check.add('text', 'affiliate_link', 'Use {{affiliate_link}} as the address of a link in the HTML.');
  return text;
}

/**
 * Only the schedule sets `expired`; a form may send it back unchanged. A new end in the future makes the
 * creative active again.
 */
function scheduledStatus(
  check: FieldCheck,
  status: CreativeStatus,
  base: CreativeFields,
  { starts_at: start, ends_at: end }: Pick<CreativeFields, 'starts_at' | 'ends_at'>,
  now: number,
): CreativeStatus {
  if (start !== null && end !== null && end <= start)
    check.add('meta.end_time', 'after', 'The end must be later than the start.');
  if (status === 'expired' && base.status !== 'expired')
    check.add('status', 'in', 'The status `expired` is set by the schedule. Set an end instead.');
  if (status === 'scheduled' && start === null && end === null)
    check.add('meta.start_time', 'required_if', 'Set a start or an end for a scheduled creative.');
  return status === 'expired' && end !== null && end > now ? 'scheduled' : status;
}

function readIds(
  check: FieldCheck,
  name: 'affiliate_ids' | 'group_ids',
  form: CreativeForm,
  base: CreativeFields,
): readonly number[] {
  const given = form[name];
  if (given === undefined) return base[name];
  if (given === null || given === '') return [];
  const list = (Array.isArray(given) ? given : [given]) as unknown[];
  const ids = list
    .filter((id) => id !== '')
    .map((id) => (isScalar(id) && /^[1-9]\d{0,15}$/u.test(String(id)) ? Number(id) : Number.NaN));
  if (!ids.every(Number.isSafeInteger)) check.add(name, 'numeric', 'This must be a list of IDs.');
  else if (ids.length > IDS_MAX) check.add(name, 'max', `The list must have at most ${IDS_MAX} entries.`);
  else return [...new Set(ids)].sort((a, b) => a - b);
  return base[name];
}

/** The data that filters see and may change: the complete form, with times on the site's clock. */
export function dataOf(
  { starts_at: start, ends_at: end, meta, ...fields }: CreativeFields,
  timeZone: string,
): Record<string, unknown> {
  return { ...fields, meta: { ...scheduleText(start, end, timeZone), ...meta } };
}

/** `start_time` and `end_time` as in meta; absent when there is none. */
export function scheduleText(
  start: number | null,
  end: number | null,
  timeZone: string,
): Record<string, string> {
  return {
    ...(start !== null && { start_time: toSite(start, timeZone) }),
    ...(end !== null && { end_time: toSite(end, timeZone) }),
  };
}
