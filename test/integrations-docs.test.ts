import { EventEmitter } from 'node:events';
import { runInNewContext } from 'node:vm';
import { expect, it } from '@jest/globals';
import { startApp } from './support/app.js';
import { readText } from './support/sources.js';
import { cookieOf, trackedSite } from './support/tracker.js';

const page = readText('docs/integrations.md');
const block = /```js provider\n([\s\S]*?)```/.exec(page)?.[1] ?? '';

it('docs/integrations.md: its provider is registered, listed, and its orders are credited', async () => {
  const t = await startApp();
  const till = new EventEmitter();
  const answers: Promise<unknown>[] = [];
  const { commerce } = t.service;
  // What the till is answered; events of it are told in the background.
  const register: typeof commerce.register = (provider) =>
    commerce.register({
      ...provider,
      attach: (intake) =>
        provider.attach?.({
          accept: (event) => {
            const answer = intake.accept(event);
            answers.push(answer);
            return answer;
          },
        }) ?? (() => {}),
    });
  runInNewContext(block, { service: { commerce: { register } }, till, Set });
  expect(commerce.list().map(({ key }) => key)).toEqual(['till']);
  await t.admin
    .post('/settings/integration/config')
    .send({ integration: 'till', config: { is_enabled: 'yes', affiliate_on_discount_product: 'yes' } })
    .expect(200);

  const alice = await t.records.affiliate({ user_id: 2 });
  const cookie = cookieOf(await trackedSite(t.app).open(`/?ref=${alice.id}`));
  const token = await t.service.checkoutToken({ headers: { cookie }, socket: {} } as never);
  await commerce.bindCoupon('till', 'ALICE10', alice.id);
  const at = t.clock.now();
  till.emit('paid', { id: '1', at, cents: 10_000, email: 'a@buyer.test', token });
  till.emit('paid', { id: '2', at, cents: 5000, email: 'b@buyer.test', coupon: 'alice10' });
  till.emit('paid', { id: '3', at, cents: 5000, email: 'c@buyer.test' });
  expect(answers).toHaveLength(3);
  await Promise.all(answers);
  const { referrals } = (await t.admin.get('/referrals?order_by=amount&order_type=DESC').expect(200)).body;
  expect(referrals.data).toMatchObject([
    { provider: 'till', affiliate_id: alice.id, amount: 20, provider_url: 'https://shop.test/orders/1' },
    { provider: 'till', affiliate_id: alice.id, amount: 10, provider_url: 'https://shop.test/orders/2' },
  ]);
});

it('docs/integrations.md names members that are there', async () => {
  const t = await startApp();
  const named = [...page.matchAll(/^\| `([^|]+)` \|/gm)]
    .flatMap(([, cell = '']) => [...cell.matchAll(/([\w.]+)\(/g)])
    .map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(4);
  for (const name of named) expect(t.service).toHaveProperty(name);
});
