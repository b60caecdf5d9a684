import type { TSchema } from 'typebox';
import type { FieldCheck } from '../errors.js';

/** What stands in a form under one name. */
export interface Said {
  readonly check: FieldCheck;
  readonly name: string;
  /** As it was sent; undefined where it was not. */
  readonly value: unknown;
  readonly required: boolean;
  /** Of amounts. */
  readonly currency: string;
}

/** What forms may say of a column. */
export interface Entry<T> {
  readonly schema: TSchema;
  /** For those who fill it in. */
  readonly hint?: string;
  /** The most characters of a text. */
  readonly max?: number;
  /** Notes what is wrong, and answers a value to go on with: so all fields are judged in one go. */
  read(said: Said): T;
}
