import type {
  SourceLevel,
  ProgramSettings,
  SourceShop,
  UnreadContent,
  BadEmail,
} from '../../../adapters/imports.js';
import type { ReferralStatus } from '../../accounting/referrals/types.js';
import type { SourceBalance } from '../../core/imports/balance-sums.js';
import type { Stage, StageCounts } from '../../core/imports/stages.js';

/** A level of the draft, with our group. */
export type StateLevel = SourceLevel & { readonly group: number };

/** The affiliates or groups by `kind:type:rate:scope`. */
export type StateRewards = Record<string, number[]>;

/** What a person decides about an import; a later call continues with the decisions of the first. */
export interface ImportSettings {
  /** Currency of the old program, where its database does not have it. */
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

/** The report of a dry run. */
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
  /** Rows that would be skipped, at most a hundred of each stage. */
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
export interface SumTally extends StageTally {
  found_minor: number;
  imported_minor: number;
  existing_minor: number;
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
  /**
   * By currency: what the old system paid by its own figures, and how much of that could be matched to
   * referrals.
   */
  payments: Record<string, { stated_minor: number; matched_minor: number }>;
  /**
   * By `status currency`: commissions not paid in the old system that an open payment holds now. Here they
   * are part of `paid`.
   */
  claims: Record<string, { n: number; minor: number }>;
  /**
   * Earnings in the affiliate rows of the old system, in minor units of the program currency; the commissions
   * take precedence.
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
  /** The first hundred that credit no affiliate or another one. */
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

/** A source row that was skipped, or imported with a remark. */
export interface ImportRemark {
  readonly stage: Stage;
  readonly source_id: string;
  readonly outcome: 'skipped' | 'noted';
  readonly reason: string;
  /** The affiliate the row names in the old system. */
  readonly affiliate: string | null;
  /** As in the old system. */
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
  /** Earnings in the old affiliate rows, and the sum of the imported commissions. */
  readonly earnings: RunState['stated'] & {
    readonly stored_total_minor: number;
    readonly stored_unpaid_minor: number;
  };
  /** How the old program was set up, where its database has it. */
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
  /** Null: it was skipped. */
  readonly affiliate_id: number | null;
  /** Null: it came in without login. */
  readonly user_id: number | null;
  readonly login: string | null;
  readonly email: string | null;
  readonly currency: string;
  /** The total in the old row; null when the old system stores no totals. */
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
