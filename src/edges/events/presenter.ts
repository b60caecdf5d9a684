import { toIso } from '../../core/dates.js';
import type { WireDelivery, WireEndpoint } from './schemas.js';
import { deliveries, type Delivery } from './record.js';
import type { Endpoint } from './types.js';

/** An endpoint without its secrets. */
export const presentEndpoint = (endpoint: Endpoint): WireEndpoint => ({
  id: endpoint.id,
  url: endpoint.url,
  description: endpoint.description,
  events: endpoint.events,
  status: endpoint.status,
  disabled_reason: endpoint.disabled_reason,
  payment_details: endpoint.payment_details,
  failing_since: toIso(endpoint.failing_since),
  created_by: endpoint.created_by,
  created_at: toIso(endpoint.created_at),
  updated_at: toIso(endpoint.updated_at),
});

export function presentDelivery(delivery: Delivery): WireDelivery {
  const { kind: type, last_error: error, ...shown } = deliveries.present(delivery);
  return { ...shown, type, error };
}
