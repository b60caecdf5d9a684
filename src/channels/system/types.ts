import type { OutboxStatus } from '../../program/outbox/types.js';

/** An entry of the outbox that people may look at: a mail or a delivery to another system. */
export interface OutboxEntry {
  readonly id: number;
  readonly channel: string;
  readonly kind: string;
  /** `admin`, `affiliate:<id>`, `webhook:<id>`, or an address. */
  readonly recipient: string;
  readonly status: OutboxStatus;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly next_attempt_at: number;
  readonly created_at: number;
}

/** With the name of the recipient; null for others than affiliates, and for those who are gone. */
export type NamedEntry = OutboxEntry & { readonly recipient_name: string | null };
