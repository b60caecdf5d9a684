import type { OperationId } from '../../client/index.js';
import { readAhead } from './data.js';
import { storedOf } from './stored.js';

/** Rows per page as the reader has chosen them for this list. */
export type Sizes = '20' | '50' | '100';
export const SIZE: Sizes = '20';
export const sizeName = (list: string): string => `${list}:rows`;

/** Reads the first page of a list as it will be asked for when the list is opened. */
export const readList = (list: string, operation: OperationId): void =>
  readAhead(operation, {
    query: { page: 1, per_page: Number(storedOf(sizeName(list), SIZE)), search: '' },
  });

/** A pointer that only passes by asks for nothing. */
const DWELL_MS = 80;

/** Handlers of an element: what is pointed at for a moment, or focused, is read ahead. */
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
