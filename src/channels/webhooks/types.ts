import type { Endpoint } from './record.js';

export type { Endpoint, OutgoingEvent } from './record.js';

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
