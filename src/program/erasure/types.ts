import type { EventData } from '../event-log/types.js';

/** An affiliate or a buyer whose personal data is erased. */
export interface Person {
  readonly kind: 'affiliate' | 'customer';
  /** The row's ID, and those of rows that were merged into it. */
  readonly ids: readonly number[];
  /** What is left of the personal fields in records of this person. */
  readonly blank: EventData;
  /** Texts that find the person in rows without an ID. */
  readonly words: readonly string[];
}
