import type { Db, Row } from '../../platform/database/db.js';
import type { TableName } from '../../platform/database/tables.js';
import type { ErrorCode } from '../../errors.js';
import type { Affiliate, Merging } from './types.js';

/** A field of the registration form, as far as affiliates have to know it. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly enabled: 'yes' | 'no';
  readonly required: 'yes' | 'no';
  /** `yes`: the administrator's own, answered in `custom_fields`. */
  readonly custom: 'yes' | 'no';
}

/** What of an affiliate is counted in the preview of a merge, in the order it is shown. */
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
 * What a module keeps of an affiliate, and how it goes over to another one.
 * Registered when the service is built, and asked in that order.
 */
export interface AffiliatePart {
  /** How much there is, for the preview. */
  readonly counts?: {
    readonly name: (typeof MERGED_PARTS)[number];
    of(db: Db, affiliateId: number): Promise<number>;
  };
  /** Why these two can not be merged now; asked for the preview, and again under the locks. */
  refusal?(db: Db, merging: Merging): Promise<ErrorCode | null>;
  /** Both rows are locked; everything that names `from` names `into` afterwards. */
  move?(trx: Db, merging: Merging): Promise<void>;
}

export interface PartRows {
  /** What they are called in the preview; without it they are not counted there. */
  readonly name?: (typeof MERGED_PARTS)[number];
  /** What names the affiliate. */
  readonly column?: string;
}

/** The part that is the rows of one table: all of them are handed over. */
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
  const row: Row | undefined = await db(table).count({ n: '*' }).where(where).first();
  return Number(row?.['n'] ?? 0);
}

/** What modules above add to an affiliate; registered when the service is built. */
export interface AffiliateContributions {
  /** The default link. */
  shareUrl(affiliate: Affiliate): Promise<string>;
  /** Whom a link with this value credits. */
  byLinkValue(value: string): Promise<Affiliate | null>;
  formFields(): Promise<readonly FormField[]>;
}

export const NO_CONTRIBUTIONS: AffiliateContributions = {
  shareUrl: async () => '',
  byLinkValue: async () => null,
  formFields: async () => [],
};
