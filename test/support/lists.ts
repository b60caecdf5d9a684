import type { TestApp } from './app.js';
import type { Wire } from './records.js';

type Started = Pick<TestApp, 'admin'>;

const KEYS: Readonly<Record<string, string>> = { '/audit': 'entries', '/system/outbox': 'entries' };
/** Lists without an order of the caller: the newest row comes first. */
const NEWEST_FIRST = new Set([
  '/audit',
  '/system/outbox',
  '/coupons',
  '/settings/integration/deliveries',
  '/settings/tracking/skipped',
]);

/** The first 200 rows of a list as an administrator gets them, oldest first. */
export async function listed(t: Started, path: string, query = ''): Promise<Wire[]> {
  const isFixed = NEWEST_FIRST.has(path);
  const order = isFixed ? '' : 'order_by=id&order_type=ASC&';
  const { body } = await t.admin.get(`${path}?per_page=200&${order}${query}`).expect(200);
  const rows: Wire[] = body[KEYS[path] ?? path.slice(path.lastIndexOf('/') + 1)].data;
  return isFixed ? rows.toReversed() : rows;
}

/** The commissions of the program, oldest first. */
export const referralsOf = (t: Started): Promise<Wire[]> => listed(t, '/referrals');

/** The clicks of the program, oldest first. */
export const visitsOf = (t: Started): Promise<Wire[]> => listed(t, '/visits');

/** The customers of the program, oldest first. */
export const customersOf = (t: Started): Promise<Wire[]> => listed(t, '/customers');

/** Audit entries, oldest first, with filters such as `action=affiliate.updated`. */
export const auditOf = (t: Started, filters = ''): Promise<Wire[]> => listed(t, '/audit', filters);

/** Webhook deliveries of shops, oldest first. */
export const deliveriesOf = (t: Started): Promise<Wire[]> => listed(t, '/settings/integration/deliveries');

export interface DeliveryResult {
  readonly status: string;
  readonly reason: string | null;
}

/** Status and reason of each webhook delivery, oldest first. */
export const deliveryResults = async (t: Started): Promise<DeliveryResult[]> =>
  (await deliveriesOf(t)).map(({ status, reason }) => ({ status, reason }));

/** Orders without a commission: their reasons and names, oldest first. */
export const skippedOrders = (t: Started): Promise<Wire[]> => listed(t, '/settings/tracking/skipped');
