import { countOf, type Matching } from '../../records/list.js';
import type { Db } from '../../platform/database/db.js';
import type { TableName } from '../../../adapters/database/tables.js';
import type { ErrorCode } from '../../errors.js';
import type { BalanceDto } from '../api-schemas.js';
import type { Affiliate, AffiliateMerge, Slice, SliceAt } from './types.js';

/** The part of a field of the registration form that affiliates have to know. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly enabled: 'yes' | 'no';
  readonly required: 'yes' | 'no';
  /** `yes`: added by the administrator, answered in `custom_fields`. */
  readonly custom: 'yes' | 'no';
}

/** The parts of an affiliate that the preview of a merge counts, in the order they are shown. */
export const MERGED_PARTS = [
  'visits',
  'referrals',
  'customers',
  'payments',
  'coupons',
  'links',
  'creatives',
] as const;

/**
 * What a module stores about an affiliate, and how it is moved to another one. Registered when the service is
 * built, and used in that order.
 */
export interface AffiliatePart {
  /** How many there are, for the preview. */
  readonly counts?: {
    readonly name: (typeof MERGED_PARTS)[number];
    of(db: Db, affiliateId: number): Promise<number>;
  };
  /** Why these two cannot be merged now; asked for the preview, and again under the locks. */
  refusal?(db: Db, merging: AffiliateMerge): Promise<ErrorCode | null>;
  /**
   * Moves a part of very many rows, with both affiliates locked, before `move` does the rest. The books are right
   * after each part.
   */
  moveSlice?(trx: Db, merging: AffiliateMerge, at: SliceAt): Promise<Slice>;
  /** Called with both rows locked: afterwards everything that named `from` names `into`. */
  move?(trx: Db, merging: AffiliateMerge): Promise<void>;
}

export interface PartRows {
  /** Their name in the preview; without it they are not counted there. */
  readonly name?: (typeof MERGED_PARTS)[number];
  /** The column with the affiliate's id. */
  readonly column?: string;
}

/** A part that consists of the rows of one table, which all move. */
export const partOfRows = (
  table: TableName,
  { name, column = 'affiliate_id' }: PartRows = {},
): AffiliatePart => ({
  ...(name && { counts: { name, of: (db, affiliateId) => countRows(db, table, { [column]: affiliateId }) } }),
  async move(trx, { from, into }) {
    await trx(table)
      .where({ [column]: from })
      .update({ [column]: into });
  },
});

async function countRows(db: Db, table: TableName, where: Readonly<Record<string, number>>): Promise<number> {
  return countOf(db(table).where(where));
}

/** What modules above add to an affiliate; registered when the service is built. */
export interface AffiliateContributions {
  /** The default link. */
  shareUrl(affiliate: Affiliate): Promise<string>;
  /** The affiliate whom a link with this value credits. */
  byLinkValue(value: string): Promise<Affiliate | null>;
  formFields(): Promise<readonly FormField[]>;
  /** The coupons that credit the affiliate. */
  coupons(affiliateId: number): Promise<readonly { readonly provider: string; readonly code: string }[]>;
  /** Where the money of each affiliate is, by currency. */
  balances(ids: readonly number[]): Promise<ReadonlyMap<number, readonly BalanceDto[]>>;
  /** Like `balances`, for all affiliates that a list finds. */
  balancesOfList(matching: Matching): Promise<readonly BalanceDto[]>;
  /** The confirmed payments in the program's currency, in minor units. */
  paid(affiliate: Affiliate): Promise<number>;
}

export const NO_CONTRIBUTIONS: AffiliateContributions = {
  shareUrl: async () => '',
  byLinkValue: async () => null,
  formFields: async () => [],
  coupons: async () => [],
  balances: async () => new Map(),
  balancesOfList: async () => [],
  paid: async () => 0,
};
