import type { Due } from './record.js';

export type { Due } from './record.js';

/** `mail`, or `webhook:<endpoint id>`. */
export type Channel = 'mail' | `webhook:${number}`;

export const OUTBOX_STATUSES = ['pending', 'sent', 'skipped', 'dead'] as const;
export type OutboxStatus = (typeof OUTBOX_STATUSES)[number];

/**
 * Something to be sent. Event and recipient together are unique, so that no crash and no repeat queues it
 * twice.
 */
export interface Queued {
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

/** The other side's answer to a delivery. */
export interface DeliveryResponse {
  readonly status: number | null;
  /** At most the first 1 KiB. */
  readonly text: string;
}

export type Sent =
  | {
      readonly outcome: 'sent' | 'skipped';
      readonly answer?: DeliveryResponse;
      /** Why it was skipped, where somebody should know; a short text of ours. */
      readonly note?: string;
    }
  | {
      readonly outcome: 'failed';
      /** A short text of ours, never one from the other side. */
      readonly error: string;
      readonly answer?: DeliveryResponse;
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
  send(entry: Due): Promise<Sent>;
  /** Asked before each batch; false ends the run. */
  goOn?(): Promise<boolean>;
}
