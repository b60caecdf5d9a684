/** A payout run, the undoing of a payout, a recount of all figures. */
export type WorkKind = 'payout' | 'payout_undo' | 'recount';

/** Work that takes more than a moment, as everybody may see it while it runs. */
export interface Work {
  readonly kind: WorkKind;
  /** The payout that is undone; 0 where the work is about no single record. */
  readonly object_id: number;
  /** How far it is, in what `total` counts: referrals, payments or steps. */
  readonly done: number;
  readonly total: number;
  /** What whoever goes on with it has to know. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly started_at: number;
  /** When it last told how far it is. */
  readonly seen_at: number;
}

export type Told = Pick<Work, 'kind' | 'done' | 'total'> & Partial<Pick<Work, 'object_id' | 'details'>>;
