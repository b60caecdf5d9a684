import type { DueEntry } from './record.js';

export type { DueEntry } from './record.js';

/** `mail`, or `webhook:<endpoint id>`. */
export type Channel = 'mail' | `webhook:${number}`;

export const OUTBOX_STATUSES = ['pending', 'sent', 'skipped', 'dead'] as const;
export type OutboxStatus = (typeof OUTBOX_STATUSES)[number];

/**
 * Something to be sent. Event and recipient together are unique, so that no crash and no repeat queues it
 * twice.
 */
export interface QueueEntry {
  readonly event: string;
  readonly recipient: string;
  readonly kind: string;
  /** Ids only; the content is made when it is sent. */
  readonly payload: object;
  readonly delayMs?: number;
  readonly channel?: Channel;
  /** Entries of one channel with the same key are sent one after the other. */
  readonly object_key?: string;
  readonly event_id?: number;
}

/** The receiver's response to a delivery. */
export interface DeliveryResponse {
  readonly status: number | null;
  /** At most the first 1 KiB. */
  readonly text: string;
}

export type SendResult =
  | {
      readonly outcome: 'sent' | 'skipped';
      readonly response?: DeliveryResponse;
      /** Why it was skipped, where it matters to operators; a short text of ours. */
      readonly note?: string;
    }
  | {
      readonly outcome: 'failed';
      /** A short text of ours, never one from the other side. */
      readonly error: string;
      readonly response?: DeliveryResponse;
      readonly retryAfterMs?: number;
      /** No further try. */
      readonly final?: boolean;
    };

export interface Sender {
  /**
   * How long to wait after this many failed tries (0 for the first); undefined: no more tries, the entry is
   * dead.
   */
  retryMs(attempts: number): number | undefined;
  /** Entries claimed together. */
  readonly batch: number;
  /** Of those, how many are sent at the same time. */
  readonly atOnce: number;
  send(entry: DueEntry): Promise<SendResult>;
  /** Asked before each batch; false ends the run. */
  goOn?(): Promise<boolean>;
}
