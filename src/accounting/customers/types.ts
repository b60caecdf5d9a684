import type { Customer } from './record.js';

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

export const NAME_KINDS = ['email', 'user', 'provider', 'card'] as const;
export type NameKind = (typeof NAME_KINDS)[number];

/** A name by which a buyer is recognized (docs/tracking.md §7). */
export interface CustomerName {
  readonly kind: NameKind;
  /** In the form it is compared in. */
  readonly name: string;
  /** As people read it; null when there is nothing to read. */
  readonly label: string | null;
}

/** A customer, and the name by which it was found. */
export interface Holder {
  readonly kind: NameKind;
  readonly name: string;
  readonly customer: Customer;
}

/** The customers whom the names of one order find. */
export interface FoundBuyer {
  /** Whose order it is: the earlier binding wins. */
  readonly customer: Customer;
  readonly holders: readonly Holder[];
}

export interface SavedBuyer {
  readonly customer: Customer;
  readonly isNew: boolean;
  /** Names that count once the order is paid. */
  readonly unconfirmed: readonly CustomerName[];
}
