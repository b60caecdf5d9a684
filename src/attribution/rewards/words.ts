// The words that rule sets are made of.

export const SET_STATES = ['draft', 'active', 'retired'] as const;

/** A simulation that has ended; its hash is of the draft, the days and the result. */
export interface SimulationRow {
  readonly hash: string;
  readonly ended_at: number;
  readonly body_hash: string;
  readonly result: Readonly<Record<string, unknown>>;
}
