/** Who changed what, when, and the values before and after; amounts in minor units, never a secret. */
export interface AuditEntry {
  /** The user of the request; null for code, jobs and sites. */
  readonly actor_id: number | null;
  /** The API key the user's request came with. */
  readonly api_key_id: number | null;
  /** Such as `payout.processed` or `affiliate.updated`. */
  readonly action: string;
  readonly object_type: string;
  readonly object_id: string | null;
  readonly before: unknown;
  readonly after: unknown;
  readonly request_id: string;
  /** Epoch milliseconds. */
  readonly created_at: number;
}
