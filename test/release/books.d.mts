import type { Knex } from 'knex';

/** Active affiliates, and unpaid referrals dealt out among them. */
export function fill(
  knex: Knex,
  size: { readonly affiliates: number; readonly referrals: number },
): Promise<void>;
