import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { HostMail } from '../../adapters/host.js';
import { startApp, type TestApp } from '../support/app.js';
import { testDatabase } from '../support/databases.js';

const ORDERS = 20;
const LATER = 10 * 60_000;

it('a service that closes leaves a long queue of mails to the next one, which sends the rest', async () => {
  const database = await testDatabase({ purpose: 'close', shared: true });
  const sent: string[] = [];
  let closing: Promise<void> | undefined;
  const first: TestApp = await startApp({
    database,
    shared: true,
    mailer: {
      send: async ({ to, html }: HostMail) => {
        sent.push(`${String(to)} ${html}`);
        closing ??= first.service.close();
      },
    },
  });
  const affiliate = await first.records.affiliate({ user_id: 2 });
  for (let order = 1; order <= ORDERS; order += 1)
    await first.admin
      .post('/referrals')
      .send({ affiliate_id: affiliate.id, amount: order, status: 'unpaid', type: 'sale' })
      .expect(200);
  first.clock.advance(LATER);

  await first.service.emails.deliverDue();
  await closing;
  await first.close();
  expect(sent).toHaveLength(1);

  const next = await startApp({
    database,
    keep: true,
    mailer: { send: async ({ to, html }: HostMail) => void sent.push(`${String(to)} ${html}`) },
  });
  next.clock.advance(LATER);
  await next.service.emails.deliverDue();
  const { body } = await next.admin.get('/system/outbox?status=pending').expect(200);
  expect(body.entries.data).toEqual([]);
  expect(new Set(sent).size).toBe(sent.length);
  expect(sent.length).toBeGreaterThanOrEqual(ORDERS);
});

it('a mail server that does not respond delays no other job', async () => {
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const t = await startApp({ mailer: { send: () => answered } });
  await t.records.affiliate({ user_id: 2 });
  t.clock.advance(LATER);

  const jobs = t.service.jobs.runDue();
  let events = await t.service.webhooks.list();
  for (let look = 0; look < 200 && events.length === 0; look += 1) {
    await sleep(20);
    events = await t.service.webhooks.list();
  }
  expect(events).toMatchObject([{ type: 'affiliate.created' }]);

  answer();
  expect(await jobs).toContainEqual({ name: 'deliver-mails', result: 'done' });
});
