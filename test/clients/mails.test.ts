import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';

const mails = async (t: TestApp): Promise<Map<string, { html: string; text: string }>> => {
  t.clock.advance(10_000);
  await t.service.emails.deliverDue();
  return new Map(t.host.mailbox.map((mail) => [mail.to, mail]));
};

describe('mails', () => {
  it('tell the figures of every currency, the website of the form and the lines of a note', async () => {
    const t = await startApp({ rate: 10 });
    await t.admin
      .post('/settings/email-config')
      .send({ settings: { admin_email: 'boss@shop.test' } })
      .expect(200);
    const { id } = await t.service.affiliates.create({
      user_id: 4,
      status: 'active',
      note: 'first line\nsecond <b>line</b>',
      custom_fields: { url: 'https://carol.test' },
    });
    const welcome = (await mails(t)).get('boss@shop.test');
    expect(welcome?.html).toContain('https://carol.test');
    expect(welcome?.html).toContain('first line<br>second');
    expect(welcome?.text).toMatch(/first line\nsecond/);

    t.host.mailbox.length = 0;
    for (const [reference, currency] of [
      ['1', 'USD'],
      ['2', 'EUR'],
    ] as const)
      await t.service.conversions.record(null, {
        provider: 'shop',
        reference,
        status: 'unpaid',
        order: { subtotal: '100.00', currency },
        affiliate: id,
      });
    const sale = (await mails(t)).get('carol@shop.test');
    expect(sale?.text).toMatch(/Ready to pay or in the waiting period: \$ 10\.00, € 10\.00/);
    expect(sale?.text).toMatch(/All time: \$ 10\.00, € 10\.00/);
    expect(sale?.text).toMatch(/Last 30 days: \$ 10\.00, € 10\.00/);
  });

  it('carry their look in the tags, in the language of the site', async () => {
    const t = await startApp();
    const site = { ...t.host.site(), language: 'de' };
    Object.assign(t.host, { site: () => site });
    await t.records.affiliate({ user_id: 2 });
    for (const { html } of (await mails(t)).values()) {
      expect(html).toContain('<html lang="de">');
      expect(html).not.toContain('<style');
      expect(html).toMatch(/<table style="width: 100%/);
      expect(html).toMatch(/<a style="display: inline-block[^"]*" class="button"/);
    }
  });

  it('break no name of a row within a word, on a narrow screen either', async () => {
    const t = await startApp();
    await t.records.affiliate({ user_id: 2 });
    const { html } = (await mails(t)).get('alice@shop.test')!;
    const cells = [...html.matchAll(/<td style="([^"]*)"/g)].map(([, style]) => style);
    expect(cells.length).toBeGreaterThan(3);
    for (const [at, style] of cells.entries())
      expect([at, style?.includes('width: 40%'), style?.includes('anywhere')]).toEqual([
        at,
        at % 2 === 0,
        at % 2 === 1,
      ]);
  });

  it('do not tell administrators that they take part', async () => {
    const t = await startApp();
    await t.admin
      .post('/settings/email-config')
      .send({ settings: { admin_email: 'boss@shop.test' } })
      .expect(200);
    await t.records.affiliate({ user_id: 2 });
    const sent = await mails(t);
    expect(sent.get('alice@shop.test')?.text).toContain('because you take part');
    expect(sent.get('boss@shop.test')?.text).toContain('because you run');

    t.host.mailbox.length = 0;
    await t.admin
      .post('/settings/email-config')
      .send({ settings: { email_footer: '<p>Ours.</p>' } })
      .expect(200);
    await t.records.affiliate({ user_id: 3 });
    expect((await mails(t)).get('boss@shop.test')?.text).toContain('Ours.');
  });

  it('name order and total of a sale and method of a payment, and have no row without a value', async () => {
    const t = await startApp({ rate: 10 });
    const { id } = await t.records.affiliate({ user_id: 2 });
    const welcome = (await mails(t)).get('alice@shop.test')!;
    expect(welcome.html).toContain('<meta name="color-scheme" content="light">');
    expect(welcome.html).toMatch(/<a href="(https:\/\/shop\.test[^"]*)">\1<\/a>/u);

    t.host.mailbox.length = 0;
    const order = { provider: 'shop', affiliate: id, order: { subtotal: '70.00' } };
    await t.service.conversions.record(null, { ...order, reference: '2041', status: 'unpaid' });
    const sale = (await mails(t)).get('alice@shop.test')!;
    expect(sale.text).toMatch(/^Order: 2041$/mu);
    expect(sale.text).toMatch(/^Order total: \$ 70\.00$/mu);
    expect(sale.text).not.toMatch(/^For:/mu);
    expect(sale.html).not.toMatch(/<td[^>]*>\s*<\/td>/u);

    t.host.mailbox.length = 0;
    const payout = await t.records.payout();
    await t.admin.patch(`/payouts/${payout.id}/transactions/1`).send({ status: 'paid' }).expect(200);
    t.clock.advance(600_000);
    const paid = (await mails(t)).get('alice@shop.test')!;
    expect(paid.text).toMatch(/^Method: Manual$/mu);
    expect(paid.text).toMatch(/^Reference: P1-T1$/mu);
  });
});
