import type { DeliveryDto, EndpointDto } from './schemas.js';
import { deliveries, endpoints, type WebhookDelivery, type Endpoint } from './record.js';

/** An endpoint without its secrets. */
export const presentEndpoint = (endpoint: Endpoint): EndpointDto => endpoints.present(endpoint);

export function presentDelivery(delivery: WebhookDelivery): DeliveryDto {
  const { kind: type, last_error: error, ...shown } = deliveries.present(delivery);
  return { ...shown, type, error };
}
