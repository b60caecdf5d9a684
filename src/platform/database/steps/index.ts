import type { SchemaStep } from '../migrate.js';
import { initialStep } from './001-initial.js';
import { linksAndFraudStep } from './002-links-and-fraud.js';
import { countedListsStep } from './004-counted-lists.js';
import { ordersStep } from './005-orders.js';
import { payoutsStep } from './006-payouts.js';
import { clientsStep } from './007-clients.js';
import { hostsStep } from './011-hosts.js';
import { eventsStep } from './012-events.js';
import { apiKeysStep } from './013-api-keys.js';
import { factsSealStep } from './014-facts-seal.js';
import { serviceIdStep } from './008-service-id.js';
import { importsStep } from './009-imports.js';

/** In the order they are applied; only ever added to. */
export const STEPS: readonly SchemaStep[] = [
  initialStep,
  linksAndFraudStep,
  countedListsStep,
  ordersStep,
  payoutsStep,
  clientsStep,
  hostsStep,
  eventsStep,
  apiKeysStep,
  serviceIdStep,
  importsStep,
  factsSealStep,
];
