import { createHash } from 'node:crypto';
import { cleanText } from './text.js';

const KEY_MAX = 191;

/** How a source names an order. Together with the source it is the key that makes repeats harmless. */
export interface OrderNameParts {
  readonly reference?: string | number | null;
  /** Names a part of an order that earns a commission of its own. */
  readonly sub_reference?: string | null;
  /** The shop within the source, when there are several. */
  readonly account?: string;
}

/** An order's name without tags and control characters, since it is shown in lists and needs one spelling. */
export const cleanName = (name: unknown): string => cleanText(String(name ?? ''));

/** The key of an order. The type is not part of it, because the same order may be evaluated again. */
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
