import { own } from './own.js';

/** Words in field names that most people do not know. */
const WORDS: Readonly<Record<string, string>> = {
  email: 'e-mail',
  url: 'address',
  ip: 'IP address',
  utm: 'UTM',
  qr: 'QR',
  bic: 'BIC',
  iban: 'IBAN',
};
/** Fields whose name does not show their meaning. */
const NAMES: Readonly<Record<string, string>> = {
  meta_key: 'name of the group',
  is_enabled: 'switch',
  object_ids: 'products or categories',
  custom_param: 'link name',
  conf_password: 'repeated password',
  body: 'request',
};

/**
 * What people call a field: `group_id` is "the group", `items.1.amount` "the amount of entry 2", `items.1`
 * "entry 2 of the items".
 */
export function fieldName(path: string): string {
  const parts = path.split('.');
  const last = parts.at(-1) ?? path;
  const before = parts.at(-2);
  if (isPlace(last))
    return `entry ${Number(last) + 1}${before === undefined ? '' : ` of the ${wordsOf(before)}`}`;
  return before !== undefined && isPlace(before)
    ? `the ${wordsOf(last)} of entry ${Number(before) + 1}`
    : `the ${wordsOf(last)}`;
}

const isPlace = (part: string): boolean => /^\d+$/.test(part);

function wordsOf(name: string): string {
  const known = own(NAMES, name);
  if (known !== undefined) return known;
  const words = name.replace(/_ids$/, 's').replace(/_id$/, '').split(/[_-]+/);
  return words.map((word) => own(WORDS, word) ?? word).join(' ');
}

/** The same at the beginning of a sentence. */
export function fieldNameFirst(path: string): string {
  const name = fieldName(path);
  return name.charAt(0).toUpperCase() + name.slice(1);
}
