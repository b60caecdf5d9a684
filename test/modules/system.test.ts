import { describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';

describe('how the service is doing', () => {
  it('tells schema, recurring work and what waits to be sent', async () => {
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
    await t.app.db('affiliates').where({ id: affiliate.id }).update({ unpaid_earnings_minor: 500 });
    const { violations } = (await t.admin.post('/system/verify').expect(200)).body as {
      violations: unknown[];
    };
    expect(violations).toContainEqual(expect.objectContaining({ table: 'affiliates', id: affiliate.id }));
    expect((await t.admin.post('/system/reconcile').expect(200)).body.repaired).toBe(1);
    expect((await t.admin.post('/system/verify').expect(200)).body.violations).toEqual([]);
  });

  it('sends again what was given up, and nothing else', async () => {
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
    await t.app.db('outbox').insert(row('dead', 'a@x.test'));
    await t.app.db('outbox').insert(row('sent', 'b@x.test'));
    const { entries } = (await t.admin.get('/system/outbox?status=dead').expect(200)).body as {
      entries: { total: number; data: { id: number; last_error: string }[] };
    };
    expect(entries).toMatchObject({ total: 1, data: [{ last_error: 'no answer', status: 'dead' }] });
    await t.admin.post(`/system/outbox/${entries.data[0]?.id}/retry`).expect(200);
    await t.admin.post(`/system/outbox/${entries.data[0]?.id}/retry`).expect(404);
    expect((await t.admin.get('/system/outbox?status=pending').expect(200)).body.entries.total).toBe(1);
  });
});
