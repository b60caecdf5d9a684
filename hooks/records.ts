// The records taps receive, read-only. Where a hook passes only a part of a record, the part is named here.

/** Anything stored with an id; a tap reads the documented fields of the resource. */
export interface Stored { readonly id: number }
/** A map as it was sent or will be stored. */
export type DataMap = Readonly<Record<string, unknown>>;

export type Affiliate = Stored;
export type Referral = Stored;
export type Visit = Stored;
export type Customer = Stored;
export type Payout = Stored;
export type PayoutTransaction = Stored;
export type Creative = Stored;
/** A group as hooks see it. */
export interface Group extends Stored { readonly meta_key: string }
/** A host user, or the part of one known so far. */
export interface User extends Stored { readonly email: string }
