export type { Customer } from './record.js';

/** The buyer according to an order, already checked. */
export interface CustomerInput {
  readonly email?: string | null;
  readonly user_id?: number | null;
  readonly first_name?: string | null;
  readonly last_name?: string | null;
  readonly ip?: string | null;
  /** The buyer's id at a provider. */
  readonly ref?: { readonly provider: string; readonly account: string; readonly id: string } | null;
  /** Only a keyed hash of it is stored. */
  readonly payment_fingerprint?: string | null;
}
