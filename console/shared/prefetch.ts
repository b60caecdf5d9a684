import type { OperationId } from '../../client/index.js';
import { prefetchQuery } from './data.js';
import { storedOf } from './stored.js';

/** The user's rows per page for this list. */
export type Sizes = '20' | '50' | '100';
export const SIZE: Sizes = '20';
export const sizeName = (list: string): string => `${list}:rows`;

/** Prefetches the first page of a list. */
export const readList = (list: string, operation: OperationId): void =>
  prefetchQuery(operation, {
    query: { page: 1, per_page: Number(storedOf(sizeName(list), SIZE)), search: '' },
  });

/** A pointer that only passes by prefetches nothing. */
const DWELL_MS = 80;

/** Event handlers that prefetch on hover and focus. */
export function onApproach(read: (() => void) | undefined): {
  onMouseEnter?: () => void;
  onMouseLeave?: () => void;
  onFocus?: () => void;
} {
  if (read === undefined) return {};
  return {
    onMouseEnter: () => {
      clearTimeout(waiting);
      waiting = setTimeout(read, DWELL_MS);
    },
    onMouseLeave: () => clearTimeout(waiting),
    onFocus: read,
  };
}
let waiting: ReturnType<typeof setTimeout> | undefined;
