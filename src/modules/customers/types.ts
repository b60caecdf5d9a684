/** A buyer who came through an affiliate. */
export interface Customer {
  readonly id: number;
  readonly user_id: number | null;
  /** Who brought the customer first; bound by a first order that was paid, never overwritten by a later one. */
  readonly by_affiliate_id: number | null;
  /** When the first paid order without any affiliate came. */
  readonly own_since: number | null;
  readonly email: string | null;
  /** Trimmed and lower case; unique. */
  readonly email_key: string | null;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly ip: string | null;
  readonly settings: Readonly<Record<string, unknown>> | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** What an order says about its buyer, already checked. */
export interface CustomerInput {
  readonly email?: string | null;
  readonly user_id?: number | null;
  readonly first_name?: string | null;
  readonly last_name?: string | null;
  readonly ip?: string | null;
}
