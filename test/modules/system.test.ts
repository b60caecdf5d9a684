import { describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { clearOutbox } from '../support/outbox.js';
import { statementsOf } from '../support/statements.js';
import { insertMany } from '../support/rows.js';

describe('how the service is doing', () => {
  it('shows schema, recurring work and what waits to be sent', async () => {
    const t = await startApp();
    await t.service.jobs.runDue();
    const { body } = await t.admin.get('/system/state').expect(200);
    expect(body.schema.steps).toBeGreaterThan(0);
    expect(body.jobs).toMatchObject({
      enabled: false,
      list: expect.arrayContaining([expect.objectContaining({ name: 'purge-visits' })]),
    });
    expect(['sqlite', 'postgres', 'mysql']).toContain(body.database);
    expect(body.size_bytes).toBeGreaterThan(10_000);
    expect(body.risks).toEqual(await t.service.risks());
  });

  it('checks the books and recounts them', async () => {
    const t = await startApp();
    const affiliate = await t.records.affiliate({ user_id: 2 });
    expect((await t.admin.post('/system/verify').expect(200)).body.violations).toEqual([]);
    // wrong, as no request can leave it
    await t.app.db('affiliates').where({ id: affiliate.id }).update({ unpaid_earnings_minor: 500 });
    const { violations } = (await t.admin.post('/system/verify').expect(200)).body as {
      violations: unknown[];
    };
    expect(violations).toContainEqual(expect.objectContaining({ table: 'affiliates', id: affiliate.id }));
    expect((await t.admin.post('/system/reconcile').expect(200)).body.repaired).toBe(1);
    expect((await t.admin.post('/system/verify').expect(200)).body.violations).toEqual([]);
  });

  it('names the affiliates and webhooks that messages are for, with no look-up per row', async () => {
    const t = await startApp({ rate: 10 });
    const alice = await t.records.affiliate({ user_id: 2 });
    const bob = await t.records.affiliate({ user_id: 3 });
    t.host.addUser({ id: 6, login: 'erin', display_name: 'Erin' });
    const gone = await t.records.affiliate({ user_id: 6 });
    const own = (id: number): object => ({
      event: `test:${id}`,
      recipient: `affiliate:${id}`,
      kind: 'new_sale_to_affiliate',
      payload: '{}',
      status: 'sent',
      attempts: 0,
      next_attempt_at: 0,
      created_at: 1,
      updated_at: 1,
    });
    const admin = { ...own(0), event: 'test:admin', recipient: 'admin' };
    const { webhook } = (
      await t.admin
        .post('/settings/webhooks')
        .send({ url: 'https://shop.example/hook', events: ['*'] })
        .expect(200)
    ).body as { webhook: { id: number } };
    const sent = (id: number) => ({ ...own(0), event: 'test:webhook', recipient: `webhook:${id}` });
    const hooks = [sent(webhook.id), sent(webhook.id + 900)];
    const rows = [own(alice.id), own(bob.id), own(alice.id + 900), own(gone.id), admin, ...hooks];
    await clearOutbox(t);
    await insertMany(t, 'outbox', rows);
    await t.admin.delete(`/affiliates/${gone.id}`).expect(200);
    const ask = async (): Promise<{ recipient: string; recipient_name: string | null }[]> =>
      (await t.admin.get('/system/outbox').expect(200)).body.entries.data;

    let found = new Map<string, string | null>();
    const once = await statementsOf(t, async () => {
      found = new Map((await ask()).map((row) => [row.recipient, row.recipient_name]));
    });
    expect(Object.fromEntries(found)).toEqual({
      [`affiliate:${alice.id}`]: 'Alice Doe',
      [`affiliate:${bob.id}`]: 'Bob Ray',
      [`affiliate:${alice.id + 900}`]: null,
      [`affiliate:${gone.id}`]: null,
      [`webhook:${webhook.id}`]: 'https://shop.example/hook',
      [`webhook:${webhook.id + 900}`]: null,
      admin: null,
    });
    const more = Array.from({ length: 12 }, (_, n) => ({ ...own(bob.id), event: `test:more:${n}` }));
    await insertMany(t, 'outbox', more);
    const twice = await statementsOf(t, async () => expect(await ask()).toHaveLength(19));
    expect(twice.length).toBeLessThanOrEqual(once.length);
  });

  it('retries failed entries, and no others', async () => {
    const t = await startApp();
    const now = t.clock.now();
    const row = (status: string, recipient: string) => ({
      event: `test:${recipient}`,
      recipient,
      kind: 'new_sale',
      payload: '{}',
      status,
      attempts: 5,
      next_attempt_at: now,
      last_error: 'no answer',
      created_at: now,
      updated_at: now,
    });
    await insertMany(t, 'outbox', [row('dead', 'a@x.test'), row('sent', 'b@x.test')]);
    const { entries } = (await t.admin.get('/system/outbox?status=dead').expect(200)).body as {
      entries: { total: number; data: { id: number; last_error: string }[] };
    };
    expect(entries).toMatchObject({ total: 1, data: [{ last_error: 'no answer', status: 'dead' }] });
    await t.admin.post(`/system/outbox/${entries.data[0]?.id}/retry`).expect(200);
    await t.admin.post(`/system/outbox/${entries.data[0]?.id}/retry`).expect(404);
    expect((await t.admin.get('/system/outbox?status=pending').expect(200)).body.entries.total).toBe(1);
  });
});
