import type { WireDelivery, WireEndpoint } from './schemas.js';
import { deliveries, endpoints, type Delivery, type Endpoint } from './record.js';

/** An endpoint without its secrets. */
export const presentEndpoint = (endpoint: Endpoint): WireEndpoint => endpoints.present(endpoint);

export function presentDelivery(delivery: Delivery): WireDelivery {
  const { kind: type, last_error: error, ...shown } = deliveries.present(delivery);
  return { ...shown, type, error };
}
