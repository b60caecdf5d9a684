/** A payout run, the undoing of a payout, a recount of all figures. */
export type WorkKind = 'payout' | 'payout_undo' | 'recount';

/** Work that takes longer than a moment; everybody can see it while it runs. */
export interface Work {
  readonly kind: WorkKind;
  /** The payout that is being undone; 0 for work that is not about a single record. */
  readonly object_id: number;
  /** The progress, in the unit of `total`: referrals, payments or steps. */
  readonly done: number;
  readonly total: number;
  /** What is needed to continue it. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly started_at: number;
  /** When its progress was reported last. */
  readonly seen_at: number;
}

export type Told = Pick<Work, 'kind' | 'done' | 'total'> & Partial<Pick<Work, 'object_id' | 'details'>>;
