import type { Db } from '../../platform/database/db.js';
import type { EventType, Wire } from '../../program/event-log/types.js';
import type { Needs } from './needs.js';
import { pictureOf, presentCustomer } from './presenter.js';
import type { Customer } from './types.js';

type CustomerEvent = Exclude<Extract<EventType, `customer.${string}`>, 'customer.merged'>;

const shown = (customer: Customer): Wire => presentCustomer(customer, pictureOf(customer));

/** Records what happened to a customer; with `before`, only when something that answers show has changed. */
export async function tellCustomer(
  app: Needs,
  trx: Db,
  type: CustomerEvent,
  after: Customer,
  before?: Customer,
): Promise<void> {
  const data = shown(after);
  if (before === undefined) return app.eventLog.tell(trx, type, { id: after.id, data });
  const was = shown(before);
  if (JSON.stringify({ ...data, updated_at: '' }) === JSON.stringify({ ...was, updated_at: '' })) return;
  await app.eventLog.tell(trx, type, { id: after.id, data, before: was });
}
