import type { EventType, Wire } from '../../program/event-log/types.js';

/** An event with its id. */
export interface OutgoingEvent {
  /** Grows in the order in which events can be read. */
  readonly id: number;
  readonly type: EventType;
  readonly object_type: string;
  readonly object_id: string;
  readonly data: Wire;
  /** The fields that changed, with their former values. */
  readonly previous: Wire;
  readonly created_at: number;
}

export const ENDPOINT_STATUSES = ['active', 'disabled'] as const;

/** An endpoint of another system that gets events. */
export interface Endpoint {
  readonly id: number;
  readonly url: string;
  readonly description: string;
  /** Types of events, or `*` for all except those that have to be named. */
  readonly events: readonly string[];
  readonly status: (typeof ENDPOINT_STATUSES)[number];
  /**
   * `gone`: it answered 410; `failing`: it failed for five days; null:
   * a person switched it off, or it is active.
   */
  readonly disabled_reason: 'gone' | 'failing' | null;
  /** Payment addresses and bank details are sent too. */
  readonly payment_details: boolean;
  /** Sealed with the service secret. */
  readonly secret: string;
  readonly former_secret: string | null;
  readonly former_until: number | null;
  readonly failing_since: number | null;
  readonly failures: number;
  readonly paused_until: number | null;
  readonly created_by: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface EndpointInput {
  readonly url: string;
  readonly events: readonly string[];
  readonly description?: string;
  readonly status?: Endpoint['status'];
  readonly payment_details?: boolean;
  /** Confirms that payment details may be sent. */
  readonly confirm?: boolean;
}
export type EndpointPatch = Partial<EndpointInput>;
