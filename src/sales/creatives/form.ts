import { fieldNameFirst } from '../../core/field-name.js';
import { toSite } from '../../core/dates.js';
import { cleanHtml } from '../../core/html.js';
import { cleanText, cleanTextarea, cut } from '../../core/text.js';
import { FieldCheck } from '../../errors.js';
import { isHttpUrl } from '../../platform/http/keywords.js';
import { mergeMeta } from './meta.js';
import { statusAt } from './schedule.js';
import {
  CREATIVE_STATUSES,
  CREATIVE_TYPES,
  PRIVACIES,
  type CreativeFields,
  type CreativeForm,
  type CreativeStatus,
  type CreativeType,
} from './types.js';

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

const NAME_MAX = 255;
const DESCRIPTION_MAX = 5000;
const TEXT_MAX = 65_535;
const URL_MAX = 2048;
const IDS_MAX = 5000;

/**
 * The fields a form leads to: keys that are absent keep what `base` has, and the result is judged as a whole.
 */
export function readFields(
  form: CreativeForm,
  base: CreativeFields,
  { timeZone, now }: FormContext,
): CreativeFields {
  const read = new FormReader(form, base);
  const type = read.choice('type', CREATIVE_TYPES);
  const details = mergeMeta(form.meta, base, read.check, timeZone);
  const fields = {
    name: read.name(),
    description: read.description(),
    type,
    image: read.image(type),
    text: read.text(type),
    url: read.url(),
    privacy: read.choice('privacy', PRIVACIES),
    ...details,
    affiliate_ids: read.ids('affiliate_ids'),
    group_ids: read.ids('group_ids'),
  };
  const { starts_at: start, ends_at: end } = details;
  if (start !== null && end !== null && end <= start)
    read.check.add('meta.end_time', 'after', 'The end must be later than the start.');
  const status = read.status(details, now);
  read.check.throwIfAny();
  return { ...fields, status: statusAt({ status, ...details }, now) };
}

/** What the filters get to see and may change: the form again, complete, times on the site's clock. */
export function dataOf(
  { starts_at: start, ends_at: end, meta, ...fields }: CreativeFields,
  timeZone: string,
): Record<string, unknown> {
  return { ...fields, meta: { ...scheduleText(start, end, timeZone), ...meta } };
}

/** `start_time` and `end_time` as meta carries them; absent when there is none. */
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

const asText = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null;

/** One pass over a form: reads a key, or keeps the base and notes what is wrong with the key. */
class FormReader {
  readonly check = new FieldCheck();

  constructor(
    private readonly form: CreativeForm,
    private readonly base: CreativeFields,
  ) {}

  name(): string {
    const name = this.#plain('name', NAME_MAX, cleanText) ?? '';
    if (name === '') this.check.add('name', 'required', 'The name is required.');
    return name;
  }

  description(): string | null {
    return this.#plain('description', DESCRIPTION_MAX, cleanTextarea);
  }

  /**
   * The clock decides about `expired`; a form may only send it back unchanged.
   * A new end in the future takes it up again.
   */
  status(
    { starts_at: start, ends_at: end }: Pick<CreativeFields, 'starts_at' | 'ends_at'>,
    now: number,
  ): CreativeStatus {
    const status = this.choice('status', CREATIVE_STATUSES);
    if (status === 'expired' && this.base.status !== 'expired')
      this.check.add('status', 'in', 'Only the schedule makes a creative expired.');
    if (status === 'scheduled' && start === null && end === null) {
      this.check.add('meta.start_time', 'required_if', 'A scheduled creative needs a start or an end.');
    }
    return status === 'expired' && end !== null && end > now ? 'scheduled' : status;
  }

  image(type: CreativeType): string | null {
    const image = this.#plain('image', URL_MAX, (text) => text.trim());
    if (image === null || image === '') {
      if (type === 'image' || type === 'banner')
        this.check.add('image', 'required_if', 'An image is required for this type.');
    } else if (!isHttpUrl(image))
      this.check.add('image', 'url', 'The image must be an http or https address.');
    return image;
  }

  /** Cleaned for the final type, so that a text kept while the type changes is judged by the new rules. */
  text(type: CreativeType): string | null {
    const text = this.#plain('text', TEXT_MAX, type === 'html' ? cleanHtml : cleanTextarea);
    if ((type === 'html' || type === 'text') && !text)
      this.check.add('text', 'required_if', 'A text is required for this type.');
    return text;
  }

  url(): string {
    const url = this.#plain('url', URL_MAX, (text) => text.trim()) ?? '';
    if (url === '') this.check.add('url', 'required', 'The address is required.');
    else if (!isHttpUrl(url))
      this.check.add('url', 'url', 'The address must be an absolute http or https address.');
    return url;
  }

  choice<K extends 'type' | 'privacy' | 'status'>(
    key: K,
    allowed: readonly CreativeFields[K][],
  ): CreativeFields[K] {
    const given = this.form[key];
    if (given === undefined || given === null || given === '') return this.base[key];
    const value = allowed.find((each) => each === given);
    if (value === undefined)
      this.check.add(key, 'in', `${fieldNameFirst(key)} must be one of: ${allowed.join(', ')}.`);
    return value ?? this.base[key];
  }

  ids(key: 'affiliate_ids' | 'group_ids'): readonly number[] {
    const given = this.form[key];
    if (given === undefined) return this.base[key];
    if (given === null || given === '') return [];
    const list = (Array.isArray(given) ? given : [given]) as unknown[];
    const ids = list
      .filter((id) => id !== '')
      .map((id) => (/^[1-9]\d{0,15}$/u.test(asText(id) ?? '') ? Number(id) : Number.NaN));
    if (!ids.every(Number.isSafeInteger)) this.check.add(key, 'numeric', 'The list must hold ids.');
    else if (ids.length > IDS_MAX)
      this.check.add(key, 'max', `The list must have at most ${IDS_MAX} entries.`);
    else return [...new Set(ids)].sort((a, b) => a - b);
    return this.base[key];
  }

  /** null stays null, text is cleaned before its length counts. */
  #plain(
    key: 'name' | 'description' | 'image' | 'text' | 'url',
    max: number,
    clean: (text: string) => string,
  ): string | null {
    const given = this.form[key] === undefined ? this.base[key] : this.form[key];
    if (given === null) return null;
    const text = asText(given);
    if (text === null) this.check.add(key, 'string', `The ${key} must be text.`);
    const cleaned = clean(text ?? '');
    if (cut(cleaned, max) !== cleaned)
      this.check.add(key, 'max', `The ${key} must have at most ${max} characters.`);
    return cleaned;
  }
}
