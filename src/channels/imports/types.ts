import type { ReferralStatus } from '../../accounting/referrals/types.js';
import type { ImportedCookie } from '../../program/settings/types.js';

/** In the order they are worked off (docs/settings.md §9). */
export const STAGES = [
  'affiliate_groups',
  'affiliates',
  'referrals',
  'customers',
  'payouts',
  'visits',
  'creatives',
] as const;
export type Stage = (typeof STAGES)[number];
export type StageCounts = Record<Stage, number>;

/** A stored value as it stands in the old system: text, with all its noise. */
export type Raw = string | number | null | undefined;

/** What every row of a source may say beside its data. */
interface SourceRow {
  /** Unique within its stage; keeps a second run from importing it again. */
  readonly id: string;
  /** Where the row is in its file; the line of the column names is the first. */
  readonly line?: number | undefined;
  /** The row cannot be imported; it is reported with this reason. */
  readonly problem?: string | undefined;
  /** The row is imported, and these remarks are reported with it. */
  readonly notes?: readonly string[] | undefined;
  /** Epoch milliseconds, or `YYYY-MM-DD HH:MM:SS` in the time zone of the source. */
  readonly created_at?: Raw;
  /** Dates that stand for `created_at` where it is unusable: of the change, the order, the visit. */
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
  /** So many sales of all time; null: what it asks for cannot be said here. */
  readonly sales: string | null;
}

/** A level of the draft, with our group. */
export type StateLevel = SourceLevel & { readonly group: number };

/** The affiliates or groups by `kind:type:rate:scope`. */
export type StateRewards = Record<string, number[]>;

export interface SourceGroup extends SourceRow {
  readonly name: Raw;
  readonly rate_type?: string | undefined;
  readonly rate?: Raw;
  readonly status?: Raw;
  readonly note?: Raw;
  readonly rewards?: readonly SourceReward[] | undefined;
  /** Absent for a group that nobody reaches by itself. */
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
  /** Rates by type of order that have no place here; kept as a note. */
  readonly custom_fields?: Readonly<Record<string, Raw>> | undefined;
  readonly contact_id?: Raw;
  /** What the old system showed; the rows win, and the report shows both. */
  readonly total_earnings?: Raw;
  /** Instead of the total, where the old system keeps what was paid beside what is owed. */
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
export const ALIAS_KINDS = ['id', 'login', 'slug', 'token', 'coupon'] as const;
export type AliasKind = (typeof ALIAS_KINDS)[number];

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
  /** Epoch milliseconds until which renewals credit the affiliate; null for ever. */
  readonly bound_until?: number | null;
  /** Referrals of this customer's orders. */
  readonly referral_ids: readonly string[];
}

/** What one affiliate was paid at once; payments with the same batch id stand in one payout. */
export interface SourcePayment extends SourceRow {
  readonly batch: {
    readonly id: string;
    readonly title?: Raw;
    readonly description?: Raw;
    readonly created_at?: Raw;
  };
  readonly affiliate_id: Raw;
  /** As the old system says; the sum of the referrals wins. */
  readonly amount: Raw;
  readonly method?: Raw;
  /** `failed`: it never arrived; it is told, and its commissions stay as they are. */
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
  /** Why it cannot be told. */
  readonly problem?: string;
}

/** How links of the old system look. */
export interface SourceLinks {
  /** Names of the link variable, the one in use first. */
  readonly variables: readonly string[];
  /** Cookies that name the affiliate. */
  readonly cookies: readonly ImportedCookie[];
}

/** A status of the old system, as a source hands it out: ours, or folded where it has no word for it. */
export interface SourceWord {
  readonly stage: 'affiliates' | 'referrals' | 'payouts';
  readonly word: string;
  readonly count: number;
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

/** What the old system itself says of one affiliate in one currency, in minor units. */
export interface SourceBalance {
  readonly source_id: string;
  readonly currency: string;
  readonly unpaid_minor: number;
  /** Held by a payment on its way. */
  readonly processing_minor: number;
  readonly paid_minor: number;
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
  /** Everybody with delegated rights; they are given to the same users here, when these have none yet. */
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
   * The old system's own figures of these affiliates; `currency` is that of rows without one,
   * `words` is what a person said status words mean.
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
  /** What it says these affiliates were paid or are being paid, as `balances`. */
  payments?(
    ids: readonly string[],
    currency: string,
    words: Readonly<Record<string, string>>,
  ): Promise<readonly SourcePayments[]>;
}

/** What a person decides about an import; a later call goes on with what the first one said. */
export interface ImportSettings {
  /** Currency of the old program, where its database does not tell it. */
  readonly currency?: string | undefined;
  /** Zone of the old times, instead of the old site's. */
  readonly source_zone?: string | undefined;
  /** Old status word → one of ours, or `skip`. */
  readonly status_words?: Readonly<Record<string, string>> | undefined;
  /** Old provider name → one of ours. */
  readonly providers?: Readonly<Record<string, string>> | undefined;
  /** Takes over link variable, link format, cookie days, rate and minimum payout of the old program. */
  readonly apply_settings?: boolean | undefined;
}

/** What was found and decided when a run began. */
export interface RunSetup {
  readonly currency: string;
  /** Zone of the times the source hands out. */
  readonly time_zone: string;
  /** Zone of the old site. */
  readonly site_zone: string;
  readonly status_words: Readonly<Record<string, string>>;
  readonly providers: Readonly<Record<string, string>>;
  readonly program: ProgramSettings | null;
  readonly unread: readonly UnreadContent[];
}

/** What a dry run tells. */
export interface CheckedSetup extends RunSetup {
  /** Each shop of the old commissions, and what its orders are stored under. */
  readonly shops: readonly (SourceShop & { readonly provider: string; readonly known: boolean })[];
  /** E-mail addresses that cannot be used, at most a hundred of each kind of row. */
  readonly emails: readonly BadEmail[];
  readonly trial: ImportTrial;
}

/** What would happen to each row. */
export interface ImportTrial {
  /** `imported` would come in, `existing` are here already; stages without rows are absent. */
  readonly stages: Partial<Record<Stage, Readonly<StageTally>>>;
  /** Rows that would be left out, at most a hundred of each stage. */
  readonly left_out: readonly LeftOutRow[];
  /** False: a stage has more than 50,000 rows and only the first were tried; then payouts were not. */
  readonly complete: boolean;
}

export interface LeftOutRow {
  readonly stage: Stage;
  readonly source_id: string;
  /** Its line in the file; null for sources that are no files. */
  readonly line: number | null;
  readonly reason: string;
  readonly sentence: string;
  readonly advice: string;
}

/** Rows of a stage since its run began. `found` is the sum of the other three. */
export interface StageTally {
  found: number;
  imported: number;
  existing: number;
  skipped: number;
}

/** Referrals of one status and currency; amounts in minor units. */
export interface SumTally {
  found: number;
  found_minor: number;
  imported: number;
  imported_minor: number;
  existing: number;
  existing_minor: number;
  skipped: number;
  skipped_minor: number;
  /** What rounding took away from the decimal texts, × 10^-12; 0 when all amounts were whole minor units. */
  rounding_e12: string;
}

export interface RunState {
  /** Absent in a run of an earlier release. */
  setup?: RunSetup;
  /** User who started the run, and so made its payouts; null for code. */
  started_by?: number | null;
  /** Provider names of commissions as they are stored, with their number. */
  providers: Record<string, number>;
  /** What the end of the run found about old links; null before. */
  links: LinkTrial | null;
  cursors: Partial<Record<Stage, string | null>>;
  totals: StageCounts;
  stages: Record<Stage, StageTally>;
  /** Source group → our group. */
  groups: Record<string, number>;
  /** Rates that become a draft of reward rules. */
  rewards?: StateRewards;
  /** Groups that affiliates reach; they become the levels of the draft. */
  levels?: StateLevel[];
  /** A hash of the rules that a draft was made of. */
  rewards_made?: string;
  /** By `status currency`. */
  sums: Record<string, SumTally>;
  /** By currency: what the old system says it paid, and how much of that could be matched to referrals. */
  payments: Record<string, { stated_minor: number; matched_minor: number }>;
  /**
   * By `status currency`: commissions not paid in the old system that an open payment holds now.
   * They stand under `paid` here.
   */
  claims: Record<string, { n: number; minor: number }>;
  /**
   * Earnings as the affiliate rows of the old system say, in minor units of the program currency;
   * the commissions win.
   */
  stated: { total_minor: number; unpaid_minor: number };
  /** Time spent working, for the rate. */
  worked_ms: number;
  error: string | null;
  cancelled: boolean;
}

/** Every old link and cookie form, tried against the resolver. */
export interface LinkTrial {
  readonly tried: number;
  readonly right: number;
  /** The first hundred that credit nobody or somebody else. */
  readonly wrong: readonly {
    readonly source_id: string;
    readonly form: string;
    readonly affiliate_id: number | null;
  }[];
}

export type RunStage = Stage | 'completed';

export interface ImportRun {
  readonly source: string;
  readonly stage: RunStage;
  readonly revision: number;
  readonly state: RunState;
  readonly created_at: number;
  readonly updated_at: number;
}

/** A source row that was left out, or imported with a remark. */
export interface ImportRemark {
  readonly stage: Stage;
  readonly source_id: string;
  readonly outcome: 'skipped' | 'noted';
  readonly reason: string;
  /** The affiliate the row names in the old system. */
  readonly affiliate: string | null;
  /** As it stands in the old system. */
  readonly amount: string | null;
  readonly currency: string | null;
  /** The text that could not be used. */
  readonly detail: string | null;
}

/** A remark as people read it. */
export interface DescribedRemark extends ImportRemark {
  readonly id: number;
  /** What happened, as a sentence. */
  readonly sentence: string;
  /** What to do about it; empty where nothing has to be done. */
  readonly advice: string;
}

export interface Progress {
  readonly processed: number;
  readonly total: number;
  readonly per_second: number;
  readonly remaining_seconds: number | null;
  readonly skipped: number;
}

/** One status and currency of the report. */
export interface ReportSum extends SumTally {
  readonly status: ReferralStatus;
  readonly currency: string;
  /** Into this status or (negative) out of it, by open payments that hold unpaid commissions. */
  readonly moved: number;
  readonly moved_minor: number;
  /** What of the source is stored now. */
  readonly stored: number;
  readonly stored_minor: number;
}

/** What a finished or stopped run did, with the sums before and after. */
export interface ImportReport {
  readonly source: string;
  readonly stage: RunStage;
  readonly progress: Progress;
  readonly stages: Readonly<Record<Stage, StageTally>>;
  readonly sums: readonly ReportSum[];
  readonly payments: RunState['payments'];
  /** Earnings as the old affiliate rows say, beside what the imported commissions add up to. */
  readonly earnings: RunState['stated'] & {
    readonly stored_total_minor: number;
    readonly stored_unpaid_minor: number;
  };
  /** How the old program was set up, where its database tells it. */
  readonly program: ProgramSettings | null;
  /** What was found and decided at the start; null in a run of an earlier release. */
  readonly setup: RunSetup | null;
  /** Content of the old database that was not read. */
  readonly unread: readonly UnreadContent[];
  readonly links: LinkTrial | null;
  /**
   * Provider names of the commissions, and whether this program knows them:
   * refunds find their orders only then.
   */
  readonly providers: Readonly<Record<string, { readonly rows: number; readonly known: boolean }>>;
  /** Reason → number of rows. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly noted: Readonly<Record<string, number>>;
  /** What each of these reasons means. */
  readonly sentences: Readonly<Record<string, string>>;
  readonly error: string | null;
}

/** An affiliate of the old system beside what it is here; amounts in minor units of the program currency. */
export interface AffiliateComparison {
  readonly source_id: string;
  /** Null: it was left out. */
  readonly affiliate_id: number | null;
  /** Null: it came in without login. */
  readonly user_id: number | null;
  readonly login: string | null;
  readonly email: string | null;
  readonly currency: string;
  /** What the old row says; null when the old system keeps no totals. */
  readonly stated_total_minor: number | null;
  readonly stated_unpaid_minor: number | null;
  readonly stated_paid_minor: number | null;
  /** What the old row states is another amount than its commissions add up to here. */
  readonly stated_differs: boolean;
  /** What its commissions add up to here, in the program currency. */
  readonly stored_total_minor: number;
  readonly stored_unpaid_minor: number;
  /** Per currency: the old system's figures, and ours. */
  readonly balances: readonly BalanceComparison[];
  /** Per currency: what the old system's payments add up to, and those stored here. */
  readonly payments: readonly PaymentComparison[];
  /** True when a balance, a stated figure or the payments differ. */
  readonly differs: boolean;
}

export interface BalanceComparison {
  readonly currency: string;
  readonly source: Omit<SourceBalance, 'source_id' | 'currency'>;
  readonly here: Omit<SourceBalance, 'source_id' | 'currency'>;
  readonly differs: boolean;
}

export interface PaymentComparison {
  readonly currency: string;
  readonly source_minor: number;
  readonly here_minor: number;
  readonly differs: boolean;
}

export interface AffiliatePage {
  readonly rows: readonly AffiliateComparison[];
  readonly nextCursor: string | null;
  readonly done: boolean;
}
