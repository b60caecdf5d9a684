import type { TestApp } from './app.js';
import { connectChild } from './sites.js';
import type { Route } from '../../src/platform/http/define-route.js';

const USERS = [2, 3, 4, 5];
const IDS = 8;

/**
 * A program after some months: orders in every state, corrected, refunded before and after payment,
 * payouts open, paid and taken back, affiliates of every status, and rows in every list,
 * so that what lists answer has every kind and word in it.
 * Steps that another setting of the service refuses are left out.
 */
export async function liveIn(t: TestApp): Promise<void> {
  await t.records.group();
  const ids: number[] = [];
  for (const user of USERS) ids.push((await t.records.affiliate({ user_id: user })).id);
  for (const id of ids) await month(t, id);
  await t.admin.post('/payouts/process-payout').send(run('Paid'));
  await t.admin.patch('/payouts/1/transactions/bulk-action').send({ action: 'mark_as_paid' });
  for (const id of ids) await t.service.conversions.refund('shop', `B-${id}`, { refunded_total: 100 });
  await t.admin.delete('/payouts/1/transactions/4');
  await t.records.referral({ affiliate_id: ids[1]!, amount: 25 });
  await t.admin.post('/payouts/process-payout').send(run('Open'));
  for (const [at, status] of ['inactive', 'pending'].entries())
    await t.admin.patch(`/affiliates/${ids[at + 2]}/status`).send({ status });
  await t.records.referral({ affiliate_id: ids[1]!, amount: 7, status: 'pending' });
  await t.admin.post('/settings/managers').send({ user_id: 5, permissions: ['read_all_affiliates'] });
  await t.admin
    .post('/settings/links')
    .send({ slug: 'spring', affiliate_id: ids[0], target_url: 'https://shop.test/' });
  await t.admin.post('/creatives').send({
    name: 'Banner',
    type: 'text',
    text: 'Buy',
    url: 'https://shop.test/',
    status: 'active',
    privacy: 'public',
  });
  await connectChild(t);
}

async function month(t: TestApp, id: number): Promise<void> {
  await t.records.visit({ affiliate_id: id, utm_campaign: 'spring' });
  for (const letter of ['A', 'B', 'C', 'D', 'E'])
    await t.service.conversions.record(null, {
      provider: 'shop',
      reference: `${letter}-${id}`,
      status: letter === 'C' ? 'pending' : 'unpaid',
      order: { subtotal: '100.00', currency: 'USD' },
      customer: { email: `${letter}${id}@buyer.test` },
      affiliate: id,
    });
  await t.service.conversions.refund('shop', `A-${id}`, { refunded_total: 40 });
  await t.service.conversions.cancel('shop', `D-${id}`);
  const { id: manual } = await t.records.referral({ affiliate_id: id, amount: 12.5 });
  await t.admin.patch(`/referrals/${manual}`).send({ amount: 9 });
  const { id: mistaken } = await t.records.referral({ affiliate_id: id, amount: 3 });
  await t.admin.patch(`/referrals/${mistaken}`).send({ status: 'rejected' });
  const { id: removed } = await t.records.referral({ affiliate_id: id, amount: 4 });
  await t.admin.delete(`/referrals/${removed}`);
}

const run = (title: string): object => ({ config: { title, description: 'Run' } });

/**
 * Every GET of every route as administrator and as an affiliate, with every small id;
 * the client compares each answer with its schema.
 */
export async function readEverything(
  t: TestApp,
  routes: readonly Route[],
): Promise<ReadonlyMap<string, number>> {
  const read = new Map<string, number>();
  for (const route of routes.filter(({ method, access }) => method === 'get' && access.kind !== 'site'))
    for (const address of addresses(route.paths[0]))
      for (const user of [1, 2]) {
        const { status } = await t.as(user).get(`${address}?per_page=100`);
        if (status >= 500 && status !== 502) throw new Error(`GET ${address} answered ${status}`);
        if (status === 200) read.set(route.id, (read.get(route.id) ?? 0) + 1);
      }
  return read;
}

/** The path with every number from 1 on in the place of its ids; words stand for what else it asks. */
function addresses(path: string): string[] {
  const name = /:(\w+)/.exec(path)?.[1];
  if (name === undefined) return [path];
  const values =
    name === 'id' || name.endsWith('_id')
      ? Array.from({ length: IDS }, (_, at) => String(at + 1))
      : ['shop', 'stripe'];
  return values.flatMap((value) => addresses(path.replace(`:${name}`, value)));
}
