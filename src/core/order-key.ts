import { createHash } from 'node:crypto';
import { cleanText } from './text.js';

const KEY_MAX = 191;

/** What a source calls an order: with the source's name the key that makes every repeat harmless. */
export interface OrderNameParts {
  readonly reference?: string | number | null;
  /** A part of an order that earns on its own. */
  readonly sub_reference?: string | null;
  /** The shop within the source, when there are several. */
  readonly account?: string;
}

/**
 * An order's name without tags and control characters: it is shown in lists, and one order has one spelling.
 */
export const cleanName = (name: unknown): string => cleanText(String(name ?? ''));

/** One order, one key; the type is not part of it, since the same order may be judged anew. */
export function orderKey(provider: string, key: string | number | OrderNameParts): string {
  const {
    reference = null,
    sub_reference: sub = null,
    account = '',
  } = typeof key === 'object' ? key : { reference: key };
  const text = [provider, account, reference ?? '', sub ?? '']
    .map((part) => encodeURIComponent(cleanName(part)))
    .join(':');
  return shortKey(text);
}

/** Long keys are hashed to fit their column. */
export const shortKey = (text: string, max = KEY_MAX): string =>
  text.length <= max ? text : `sha256:${createHash('sha256').update(text).digest('hex')}`;
