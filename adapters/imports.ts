import type { SourceBalance } from '../src/core/imports/balance-sums.js';
import type { Stage, StageCounts } from '../src/core/imports/stages.js';
import type { Raw } from '../src/core/imports/values.js';
import type { SourceWord } from '../src/core/imports/words.js';

export type { Raw, SourceBalance, SourceWord, Stage, StageCounts };

/** Fields that every row of a source may have in addition to its data. */
interface SourceRow {
  /** Unique within its stage; a second run skips rows that have been imported. */
  readonly id: string;
  /** Where the row is in its file; the line of the column names is the first. */
  readonly line?: number | undefined;
  /** The row cannot be imported; it is reported with this reason. */
  readonly problem?: string | undefined;
  /** The row is imported, and these remarks are reported with it. */
  readonly notes?: readonly string[] | undefined;
  /** Epoch milliseconds, or `YYYY-MM-DD HH:MM:SS` in the time zone of the source. */
  readonly created_at?: Raw;
  /** Dates used where `created_at` is unusable: of the change, the order, the visit. */
  readonly other_dates?: readonly Raw[] | undefined;
  /** The times of this row are in the old site's zone, though the source stores UTC elsewhere. */
  readonly is_local_time?: boolean | undefined;
}

/** A user of the old system, by whom the host's user is found. */
export interface SourceUser {
  readonly login?: Raw;
  readonly email?: Raw;
  readonly first_name?: Raw;
  readonly last_name?: Raw;
  readonly registered_at?: Raw;
}

/** A rate for other orders than ordinary sales; it becomes a reward rule. */
export interface SourceReward {
  /** Payments of a subscription, later orders of a customer, or sign-ups. */
  readonly kind: 'renewal' | 'later' | 'lead';
  readonly type: 'percentage' | 'flat';
  readonly value: Raw;
}

/** How affiliates reach a group by themselves. */
export interface SourceLevel {
  /** Its place among the groups of the old system. */
  readonly place: number;
  /** So many sales of all time; null: the condition has no counterpart here. */
  readonly sales: string | null;
}

export interface SourceGroup extends SourceRow {
  readonly name: Raw;
  readonly rate_type?: string | undefined;
  readonly rate?: Raw;
  readonly status?: Raw;
  readonly note?: Raw;
  readonly rewards?: readonly SourceReward[] | undefined;
  /** Absent for a group that affiliates do not reach automatically. */
  readonly level?: SourceLevel | undefined;
}

export interface SourceAffiliate extends SourceRow {
  readonly rewards?: readonly SourceReward[] | undefined;
  /** Null: the account named by the row does not exist any more. */
  readonly user: SourceUser | null;
  readonly group_id?: Raw;
  readonly status: Raw;
  readonly rate_type?: string | undefined;
  readonly rate?: Raw;
  readonly payment_email?: Raw;
  readonly custom_param?: Raw;
  readonly note?: Raw;
  readonly bank_details?: Raw;
  /** Columns of ours that not every old system has, by their names. */
  readonly columns?: Readonly<Record<string, Raw>> | undefined;
  /** What links of the old system carried for this affiliate, beside its id and the login of its user. */
  readonly aliases?: readonly SourceAlias[] | undefined;
  readonly coupons?: readonly SourceCoupon[] | undefined;
  /** Rates by type of order that have no counterpart here; stored as a note. */
  readonly custom_fields?: Readonly<Record<string, Raw>> | undefined;
  readonly contact_id?: Raw;
  /** What the old system showed; the rows win, and the report shows both. */
  readonly total_earnings?: Raw;
  /** Instead of the total, where the old system stores what was paid and what is owed separately. */
  readonly paid_earnings?: Raw;
  readonly unpaid_earnings?: Raw;
  readonly lead_counts?: Raw;
  readonly disable_new_ref_email?: Raw;
}

/** A value by which an old link, cookie or coupon names an affiliate. */
export interface SourceAlias {
  readonly kind: AliasKind;
  readonly value: string;
}
export type AliasKind = 'id' | 'login' | 'slug' | 'token' | 'coupon';

export interface SourceCoupon {
  readonly provider: string;
  readonly code: string;
}

export interface SourceReferral extends SourceRow {
  readonly affiliate_id: Raw;
  readonly parent_id?: Raw;
  readonly status: string;
  readonly amount: Raw;
  readonly order_total?: Raw;
  readonly currency?: Raw;
  readonly description?: Raw;
  readonly provider?: Raw;
  readonly provider_id?: Raw;
  readonly provider_sub_id?: Raw;
  readonly utm_campaign?: Raw;
  readonly products?: unknown;
  readonly settings?: unknown;
  readonly type?: Raw;
}

export interface SourceCustomer extends SourceRow {
  readonly email?: Raw;
  readonly user?: SourceUser | null | undefined;
  readonly first_name?: Raw;
  readonly last_name?: Raw;
  readonly ip?: Raw;
  readonly affiliate_id?: Raw;
  /** Epoch milliseconds until which renewals credit the affiliate; null means forever. */
  readonly bound_until?: number | null;
  /** Referrals of this customer's orders. */
  readonly referral_ids: readonly string[];
}

/** What one affiliate was paid at once; payments with the same batch id belong to one payout. */
export interface SourcePayment extends SourceRow {
  readonly batch: {
    readonly id: string;
    readonly title?: Raw;
    readonly description?: Raw;
    readonly created_at?: Raw;
  };
  readonly affiliate_id: Raw;
  /** As stored in the old system; the sum of the referrals takes precedence. */
  readonly amount: Raw;
  readonly method?: Raw;
  /** `failed`: it never arrived. The report lists it, and its commissions do not change. */
  readonly status: 'paid' | 'processing' | 'failed';
  readonly currency?: Raw;
  readonly referral_ids: readonly string[];
}

export interface SourceVisit extends SourceRow {
  readonly affiliate_id: Raw;
  readonly referral_ids: readonly string[];
  readonly url?: Raw;
  readonly referrer?: Raw;
  readonly campaign?: Raw;
  readonly medium?: Raw;
  readonly source?: Raw;
  readonly ip?: Raw;
}

export interface SourceCreative extends SourceRow {
  readonly name: Raw;
  readonly type?: Raw;
  readonly description?: Raw;
  readonly image?: Raw;
  readonly text?: Raw;
  readonly url?: Raw;
  readonly status?: Raw;
  readonly privacy?: Raw;
  readonly affiliate_ids?: readonly string[] | undefined;
  readonly group_ids?: readonly string[] | undefined;
  /** `start_time` and `end_time` in the zone of the source make the schedule. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/** A user of the old system to whom rights were delegated (docs/interface.md §2.1). */
export interface SourceManager {
  readonly id: string;
  readonly user: SourceUser | null;
  readonly permissions: unknown;
  readonly problem?: string | undefined;
}

/** How the old program was set up; shown beside the report, applied only on request. */
export interface ProgramSettings {
  readonly currency?: string | null;
  /** IANA name or `+hh:mm`. */
  readonly time_zone?: string | null;
  readonly referral_format?: string | null;
  readonly minimum_payout?: string | number | null;
  /** Address of the old site, for material without one. */
  readonly site_url?: string | null;
  readonly rate_type?: string | null;
  readonly rate?: string | number | null;
  readonly referral_variable?: string | null;
  readonly cookie_duration?: string | number | null;
  readonly rewards?: readonly SourceReward[];
  /** Why the settings of the old program are unusable. */
  readonly problem?: string;
}

/** How links of the old system look. */
export interface SourceLinks {
  /** Names of the link variable, the one in use first. */
  readonly variables: readonly string[];
  /** Cookies that name the affiliate. */
  readonly cookies: readonly ImportedCookie[];
}

/** A cookie of an imported system that names the affiliate. */
export interface ImportedCookie {
  readonly name: string;
  /** Ends the part of the value that names the affiliate. */
  readonly separator?: string;
  /** The value is JSON or serialized PHP; the member of this name has the affiliate's id. */
  readonly member?: string;
  /** The value is the id of a visit instead. */
  readonly isVisit?: boolean;
}

/** A shop as the old commissions call it. */
export interface SourceShop {
  readonly name: string;
  readonly rows: number;
}

/** Content of the old database that no stage reads. `column` null: the whole table. */
export interface UnreadContent {
  readonly table: string;
  readonly column: string | null;
  readonly rows: number;
}

/** What an affiliate was paid in one currency, in minor units. */
export interface SourcePayments {
  readonly source_id: string;
  readonly currency: string;
  readonly minor: number;
}

/** An e-mail address that cannot be used. */
export interface BadEmail {
  /** File or kind of row. */
  readonly rows: string;
  /** Its number in the file, or its id. */
  readonly row: string;
  readonly column: string;
  readonly value: string;
}

export interface StageRows {
  affiliate_groups: SourceGroup;
  affiliates: SourceAffiliate;
  referrals: SourceReferral;
  customers: SourceCustomer;
  payouts: SourcePayment;
  visits: SourceVisit;
  creatives: SourceCreative;
}
export type AnyRow = StageRows[Stage];

export interface SourcePage<R> {
  readonly rows: readonly R[];
  /** Where the next page starts; stored with the rows of this one. */
  readonly nextCursor: string | null;
  readonly done: boolean;
}

/** A system data can be moved in from. Pages must be the same when they are read again. */
export interface Migrator {
  readonly slug: string;
  readonly name: string;
  /** Zone of the times it hands out; default: the site's. */
  readonly timeZone?: string;
  isAvailable(): Promise<boolean>;
  counts(): Promise<Partial<StageCounts>>;
  /** A page of at most `limit` rows after the cursor; null is the beginning. */
  migrate<S extends Stage>(stage: S, cursor: string | null, limit: number): Promise<SourcePage<StageRows[S]>>;
  /** Users with delegated rights. The same users get them here unless they already have rights. */
  managers?(): Promise<readonly SourceManager[]>;
  program?(): Promise<ProgramSettings | null>;
  /** Whether the times it hands out are UTC or those of the old site's clock; `timeZone` wins. */
  readonly times?: 'utc' | 'local';
  links?(program: ProgramSettings | null): SourceLinks;
  /** Every status of the old rows with its number. */
  words?(): Promise<readonly SourceWord[]>;
  /** The shops its commissions name. */
  shops?(): Promise<readonly SourceShop[]>;
  unread?(): Promise<readonly UnreadContent[]>;
  /**
   * The old system's own figures of these affiliates; `currency` is that of rows without one, `words` maps
   * status words to their meaning.
   */
  balances?(
    ids: readonly string[],
    currency: string,
    words: Readonly<Record<string, string>>,
  ): Promise<readonly SourceBalance[]>;
  /** Places of an earlier run mean nothing in a later one: files are other files then. */
  readonly isReadAnew?: boolean;
  /** Finds mistakes of the setup before anything is read; throws with a sentence. */
  check?(): Promise<void>;
  /** The same, once the currency of the old program is known. */
  checkCurrency?(currency: string): Promise<void>;
  /** E-mail addresses that cannot be used. Default: those of affiliates and customers. */
  emails?(): Promise<readonly BadEmail[]>;
  /** The earnings in its affiliates' rows are figures to compare; else they are only shown. */
  readonly statesEarnings?: boolean;
  /** The old system's own figures of paid and processing payments, in the form of `balances`. */
  payments?(
    ids: readonly string[],
    currency: string,
    words: Readonly<Record<string, string>>,
  ): Promise<readonly SourcePayments[]>;
}
