import { createHash } from 'node:crypto';

const KEY_MAX = 191;

/** How a source names an order. Together with the source it is the key that makes repeats harmless. */
export interface OrderNameParts {
  readonly reference?: string | number | null;
  /** Names a part of an order that earns a commission of its own. */
  readonly sub_reference?: string | null;
  /** The shop within the source, when there are several. */
  readonly account?: string;
}

/** A part of an order's name as it was given, without white space around it. */
export const exactName = (name: unknown): string => String(name ?? '').trim();

/** The key of an order. The type is not part of it, because the same order may be evaluated again. */
export function orderKey(provider: string, key: string | number | OrderNameParts): string {
  const {
    reference = null,
    sub_reference: sub = null,
    account = '',
  } = typeof key === 'object' ? key : { reference: key };
  const text = [provider, account, reference ?? '', sub ?? '']
    .map((part) => encodeURIComponent(exactName(part).replaceAll(/\p{Cs}/gu, '\uFFFD')))
    .join(':');
  return shortKey(text);
}

/** Long keys are hashed to fit their column. */
export const shortKey = (text: string, max = KEY_MAX): string =>
  text.length <= max ? text : `sha256:${createHash('sha256').update(text).digest('hex')}`;
