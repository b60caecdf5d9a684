import type { Db } from '../../platform/database/db.js';
import type { EventType, EventData } from '../../program/event-log/types.js';
import type { Deps } from './deps.js';
import { pictureOf, presentCustomer } from './presenter.js';
import type { Customer } from './types.js';

type CustomerEvent = Exclude<Extract<EventType, `customer.${string}`>, 'customer.merged'>;

const shown = (customer: Customer): EventData => presentCustomer(customer, pictureOf(customer));

/** Records what happened to a customer; with `before`, only when a field that responses show has changed. */
export async function appendCustomer(
  app: Deps,
  trx: Db,
  type: CustomerEvent,
  after: Customer,
  before?: Customer,
): Promise<void> {
  const data = shown(after);
  if (before === undefined) return app.eventLog.append(trx, type, { id: after.id, data });
  await app.eventLog.appendChange(trx, type, { id: after.id, data, before: shown(before) });
}
