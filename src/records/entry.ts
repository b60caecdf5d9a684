import type { TSchema } from 'typebox';
import type { FieldCheck } from '../errors.js';

/** A field of a form as it was sent. */
export interface FieldInput {
  readonly check: FieldCheck;
  readonly name: string;
  /** As it was sent; undefined where it was not. */
  readonly value: unknown;
  readonly required: boolean;
  /** The currency of amounts. */
  readonly currency: string;
}

/** How a form sets a column: what it may send and how that is read. */
export interface Entry<T> {
  readonly schema: TSchema;
  /** A hint for people who fill in the form. */
  readonly hint?: string;
  /** The most characters of a text. */
  readonly max?: number;
  /**
   * Reports what is wrong to the check and returns a value to continue with, so that all fields are checked
   * in one go.
   */
  read(input: FieldInput): T;
}
