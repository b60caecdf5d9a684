import { describe, expect, it } from '@jest/globals';
import type { CommerceProvider } from '../../adapters/commerce.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Wire } from '../support/records.js';

const DAY = 86_400_000;
const IBAN = 'DE89 3704 0044 0532 0130 00';

const get = async (t: TestApp, path: string): Promise<Wire> => (await t.as(2).get(path).expect(200)).body;
const byBank = (t: TestApp): Promise<unknown> =>
  t.app.settings.saveReferralConfig({ payout_method: 'bank_transfer' });

/** Alice: an unpaid commission of 10, one held for a week of 20, one pending of 5, one rejected of 7. */
async function program(t: TestApp): Promise<Wire> {
  const affiliate = await t.records.affiliate();
  const make = (amount: number, status: string): Promise<Wire> =>
    t.records.referral({
      affiliate_id: affiliate.id,
      amount,
      status,
      description: `Order of ${amount}`,
    });
  await make(10, 'unpaid');
  await t.app.settings.saveReferralConfig({ hold_days: 7 });
  await make(20, 'unpaid');
  await t.app.settings.saveReferralConfig({ hold_days: 0 });
  await make(5, 'pending');
  await make(7, 'rejected');
  return affiliate;
}

describe('the statement names what a person did, and the payouts', () => {
  it('tells rejection, approval, correction and bonus apart; only managers read reasons that are not shared', async () => {
    const t = await startApp({ rate: 10 });
    const affiliate = await t.records.affiliate();
    const { referral } = await t.service.conversions.record(null, {
      provider: 'shop',
      reference: 'A',
      affiliate: affiliate.id,
      status: 'unpaid',
      order: { subtotal: '100', currency: 'USD' },
    });
    const change = (body: object) => t.admin.patch(`/referrals/${referral!.id}`).send(body).expect(200);
    await change({ amount: 12, reason: 'Agreed on 12' });
    t.clock.advance(1000);
    await change({ status: 'rejected', reason: 'Returned', show_reason: true });
    t.clock.advance(1000);
    await change({ status: 'unpaid', reason: 'A mistake' });
    await t.admin
      .post(`/affiliates/${affiliate.id}/balance-corrections`)
      .send({ amount: 5, reason: 'Thank-you bonus' })
      .expect(200);
    const shown = ({ statement }: Wire): unknown[] =>
      statement.data.map((row: Wire) => [row.change, row.note, row.amount]);
    expect(shown(await get(t, '/portal/statement'))).toEqual([
      ['balance', null, 5],
      ['approved', null, 12],
      ['rejected', 'Returned', -12],
      ['amount', null, 2],
      [null, null, 10],
    ]);
    const { body } = await t.admin.get(`/affiliates/${affiliate.id}/statement`).expect(200);
    expect(shown(body)).toEqual([
      ['balance', null, 5],
      ['approved', 'A mistake', 12],
      ['rejected', 'Returned', -12],
      ['amount', 'Agreed on 12', 2],
      [null, null, 10],
    ]);
  });

  it('keeps the name of a payout whose payments were undone', async () => {
    const t = await startApp();
    await program(t);
    await t.records.payout({ title: 'January run' });
    await t.admin.delete('/payouts/1/transactions/1').expect(200);
    expect((await get(t, '/portal/statement')).statement.data.slice(0, 2)).toMatchObject([
      { kind: 'payment_reversed', description: 'January run', payment_undone: true, payout_id: 1 },
      { kind: 'paid', description: 'January run', payment_undone: true },
    ]);
  });
});

describe('the reason that a person typed for a rejection', () => {
  it.each([
    ['is read by the affiliate, if the person says so', { show_reason: true }, 'Returned <b>unused</b>'],
    ['stays with the team otherwise', {}, null],
    ['stays with the team when the person says so', { show_reason: false }, null],
  ])('%s', async (_name, more, expected) => {
    const t = await startApp({ rate: 10 });
    const affiliate = await t.records.affiliate();
    const sell = async (reference: string): Promise<number> => {
      const { referral } = await t.service.conversions.record(null, {
        provider: 'shop',
        reference,
        affiliate: affiliate.id,
        status: 'unpaid',
        order: { subtotal: '100', currency: 'USD' },
      });
      return referral!.id;
    };
    const [first, second] = [await sell('A'), await sell('B')];
    const reject = (id: number, body: object) =>
      t.admin
        .patch(`/referrals/${id}`)
        .send({ status: 'rejected', ...body })
        .expect(200);
    await reject(first, { reason: 'Returned <b>unused</b>', ...more });
    await reject(second, { ...more });
    const shown = async (): Promise<unknown[]> =>
      (await get(t, '/portal/earnings')).earnings.data.map((row: Wire) => [
        row.state,
        row.reason,
        row.explanation,
      ]);
    expect(await shown()).toEqual([
      ['rejected', 'manual', null],
      ['rejected', 'manual', expected],
    ]);

    await t.admin.patch(`/referrals/${first}`).send({ status: 'unpaid' }).expect(200);
    await reject(first, { reason: 'For us' });
    expect(await shown()).toEqual([
      ['rejected', 'manual', null],
      ['rejected', 'manual', null],
    ]);
    expect(await t.service.verify()).toEqual([]);
  });

  it('is refused in another form', async () => {
    const t = await startApp();
    const { id } = await t.records.referral({ affiliate_id: (await t.records.affiliate()).id });
    const { body } = await t.admin
      .patch(`/referrals/${id}`)
      .send({ status: 'rejected', show_reason: 'maybe' })
      .expect(422);
    expect(body).toMatchObject({ code: 'validation_failed', errors: { show_reason: expect.anything() } });
  });
});

describe('what affiliates see of their money', () => {
  it('says of every commission what became of it, and filters by that', async () => {
    const t = await startApp();
    const affiliate = await program(t);
    const { earnings, totals } = await get(t, '/portal/earnings');
    expect(earnings.data.map(({ description, state, amount }: Wire) => [description, state, amount])).toEqual(
      [
        ['Order of 7', 'rejected', 7],
        ['Order of 5', 'in_review', 5],
        ['Order of 20', 'on_hold', 20],
        ['Order of 10', 'ready', 10],
      ],
    );
    expect(earnings.data[2].release_at).toBe('2026-01-22T15:00:00+00:00');
    expect(earnings.data[0].reason).toBe(null);
    expect(totals).toEqual([{ currency: 'USD', amount: 35, count: 4, would_have_been: 7 }]);
    expect(earnings.data[0]).toMatchObject({ counted_amount: 0, would_have_been: 7 });

    const held = await get(t, '/portal/earnings?state=on_hold');
    expect(held.earnings.total).toBe(1);
    expect(held.totals).toEqual([{ currency: 'USD', amount: 20, count: 1, would_have_been: 0 }]);
    expect((await get(t, '/portal/earnings?search=of+10')).earnings.total).toBe(1);
    expect((await get(t, '/portal/earnings?state=nonsense')).earnings.total).toBe(4);

    const payout = await t.records.payout();
    expect((await get(t, '/portal/earnings?state=on_its_way')).earnings.data).toMatchObject([
      { description: 'Order of 10', payment_id: 1 },
    ]);
    await t.admin.patch(`/payouts/${payout.id}/transactions/1`).send({ status: 'paid' }).expect(200);
    expect((await get(t, '/portal/earnings?state=paid')).earnings.total).toBe(1);
    expect((await get(t, '/portal/earnings?state=on_its_way')).earnings.total).toBe(0);
    expect(affiliate.id).toBe(1);
  });

  it('shows what reduced a commission', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate();
    const order = {
      provider: 'shop',
      reference: '1',
      status: 'unpaid',
      order: { subtotal: '100.00' },
    } as const;
    await t.service.conversions.record(null, { ...order, type: 'sale', affiliate: id });
    await t.service.conversions.refund('shop', '1', { refunded_total: '25.00' });
    const { earnings } = await get(t, '/portal/earnings');
    expect(earnings.data).toMatchObject([
      { amount: 15, state: 'ready', changes: [{ kind: 'refunded', amount: -5 }] },
    ]);
  });

  it('shows what is due when, beside the minimum', async () => {
    const t = await startApp({ payouts: { minPayout: 25 } });
    await program(t);
    const { outlook, figures, chart } = await get(t, '/portal/overview?days=7');
    expect(outlook).toEqual({
      currency: 'USD',
      ready: 10,
      on_hold: 20,
      on_its_way: 0,
      paid: 0,
      minimum: 25,
      reaches_minimum: false,
      balances: [
        {
          currency: 'USD',
          payable: 10,
          waiting: 20,
          held: 5,
          on_its_way: 0,
          paid: 0,
          canceled: 7,
          canceled_reasons: { none: 7 },
        },
      ],
      releases: [{ day: '2026-01-22', amount: 20, count: 1 }],
    });
    expect(figures).toEqual({
      now: { clicks: 0, orders: 4, earnings: 30 },
      before: { clicks: 0, orders: 0, earnings: 0 },
    });
    expect(chart.labels).toHaveLength(7);
    expect(chart.earnings).toEqual([0, 0, 0, 0, 0, 0, 30]);
    t.clock.advance(7 * DAY + 1);
    const later = await get(t, '/portal/overview?days=7');
    expect(later.outlook).toMatchObject({ ready: 30, on_hold: 0, reaches_minimum: true, releases: [] });
    expect(later.figures).toMatchObject({ now: { earnings: 0 }, before: { earnings: 30 } });
    expect(later.chart.earnings_before).toHaveLength(7);
  });

  it('keeps a statement whose balance runs on, with one line per payment', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate();
    for (const amount of [10, 20, 30]) await t.records.referral({ affiliate_id: id, amount });
    t.clock.advance(DAY);
    const payout = await t.records.payout({ title: 'January run' });
    t.clock.advance(DAY);
    await t.records.referral({ affiliate_id: id, amount: 4.5, description: 'Later' });
    const { statement, balance } = await get(t, '/portal/statement?per_page=2');
    expect(statement).toMatchObject({ total: 5, per_page: 2 });
    expect(statement.data).toMatchObject([
      { kind: 'earned', amount: 4.5, balance: 4.5, description: 'Later', payment_id: null },
      { kind: 'paid', amount: -60, balance: 0, commissions: 3, description: 'January run', payment_id: 1 },
    ]);
    expect((await get(t, '/portal/statement?per_page=2&page=2')).statement.data).toMatchObject([
      { amount: 30, balance: 60 },
      { amount: 20, balance: 30 },
    ]);
    expect(balance).toMatchObject({ currency: 'USD', opening: 0, closing: 4.5 });
    expect(balance.balances).toMatchObject([{ currency: 'USD', payable: 4.5, on_its_way: 60, paid: 0 }]);

    const second = await get(t, '/portal/statement?start_date=2026-01-16&end_date=2026-01-16');
    expect(second.balance).toMatchObject({ currency: 'USD', opening: 60, closing: 0 });
    expect(second.statement.data).toMatchObject([{ kind: 'paid', balance: 0 }]);
    await t.as(2).get('/portal/statement?start_date=yesterday').expect(422);

    const csv = (await t.as(2).get('/portal/statement/export').expect(200)).text.trim().split('\n');
    expect(csv[0]).toBe('date,kind,description,commission_id,payment_id,amount,balance,currency');
    expect(csv.slice(1).map((line) => line.split(',').slice(5, 7).join(' '))).toEqual([
      '10 10',
      '20 30',
      '30 60',
      '-60 0',
      '4.5 4.5',
    ]);
    expect(payout.id).toBe(1);
  });

  it('prints a payment with its commissions, and hands them out as CSV', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate();
    for (const amount of [10, 20])
      await t.records.referral({ affiliate_id: id, amount, description: '=1+1' });
    await t.records.payout({ title: 'January run' });
    const { payments } = await get(t, '/portal/payments');
    expect(payments.data).toMatchObject([
      { id: 1, reference: 'P1-T1', title: 'January run', status: 'processing', amount: 30, paid_at: null },
    ]);
    const statement = await get(t, '/portal/payments/1?per_page=1&page=2');
    expect(statement).toMatchObject({
      payer: { name: 'Shop', url: 'https://shop.test' },
      payee: { name: 'Alice Doe', email: 'alice@shop.test', details: 'pay@example.test' },
      commissions: { total: 2, data: [{ id: 2, amount: 20, currency: 'USD' }] },
    });
    // the payee of the payment, also when the affiliate wants to be paid elsewhere from now on
    await t.admin.patch(`/affiliates/${id}`).send({ payment_email: 'later@example.test' }).expect(200);
    expect(await get(t, '/portal/payments/1')).toMatchObject({ payee: { details: 'pay@example.test' } });
    const csv = (await t.as(2).get('/portal/payments/1/export').expect(200)).text;
    expect(csv).toBe(
      "commission_id,date,description,amount,currency,order_number,products,note\n1,2026-01-15 15:00:00,'=1+1,10,USD,,,\n2,2026-01-15 15:00:00,'=1+1,20,USD,,,\n",
    );
    await t.records.affiliate({ user_id: 3 });
    await t.as(3).get('/portal/payments/1').expect(404);
    await t.as(3).get('/portal/payments/1/export').expect(404);
    expect((await t.as(3).get('/portal/payments').expect(200)).body.payments.total).toBe(0);
    expect((await t.as(3).get('/portal/earnings').expect(200)).body.earnings.total).toBe(0);
    expect((await t.as(3).get('/portal/statement').expect(200)).body.statement.total).toBe(0);
    await byBank(t); // what the program asks for later does not change where a payment went
    expect(await get(t, '/portal/payments/1')).toMatchObject({ payee: { details: 'pay@example.test' } });
  });

  it('lists clicks by campaign and outcome, and what campaigns and pages brought', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate();
    const visit = await t.records.visit({ affiliate_id: id, utm_campaign: 'summer' });
    await t.records.visit({ affiliate_id: id, utm_campaign: 'summer', url: 'https://shop.test/a' });
    await t.records.visit({ affiliate_id: id });
    const other = await t.records.affiliate({ user_id: 3 });
    await t.records.visit({ affiliate_id: other.id, utm_campaign: 'summer' });
    await t.app.transaction(async (trx) => {
      await t.app.ledger.lock(trx, id);
      const row = {
        affiliate_id: id,
        visit_id: visit.id,
        status: 'unpaid',
        amount_minor: 1000 as never,
        type: 'sale',
      } as const;
      await t.app.referrals.writer.insert(trx, row, { kind: 'earned' });
    });
    expect((await get(t, '/portal/clicks')).clicks.total).toBe(3);
    expect((await get(t, '/portal/clicks?campaign=summer')).clicks.total).toBe(2);
    expect((await get(t, '/portal/clicks?campaign=')).clicks.total).toBe(1);
    expect((await get(t, '/portal/clicks?search=test/a')).clicks.total).toBe(1);
    expect((await get(t, '/portal/clicks?converted=yes')).clicks.data).toMatchObject([
      { id: visit.id, total_referral_amount: 10, is_converted: true },
    ]);
    expect((await get(t, '/portal/performance?by=campaign&days=30')).rows).toEqual([
      { name: 'summer', clicks: 2, orders: 1, earnings: 10 },
      { name: '', clicks: 1, orders: 0, earnings: 0 },
    ]);
    expect((await get(t, '/portal/performance?by=page')).rows).toMatchObject([
      { name: 'https://shop.test/', clicks: 2, orders: 1 },
      { name: 'https://shop.test/a', clicks: 1, orders: 0 },
    ]);
  });
});

describe('what affiliates change about themselves', () => {
  const mails = async (t: TestApp): Promise<string[]> => {
    t.clock.advance(60_000);
    await t.service.jobs.runDue();
    return t.host.mailbox
      .filter(({ subject }) => subject.startsWith('Your payment details'))
      .map(({ to }) => to)
      .toSorted();
  };

  it('takes a payment e-mail, and notifies the old address and the account', async () => {
    const t = await startApp();
    await t.records.affiliate();
    const save = (body: object): ReturnType<ReturnType<TestApp['as']>['post']> =>
      t.as(2).post('/portal/payment-details').send(body);
    expect((await save({ payment_email: 'nonsense' }).expect(422)).body.errors).toMatchObject({
      payment_email: { email: expect.any(String) },
    });
    expect((await save({}).expect(422)).body.code).toBe('validation_failed');
    expect((await save({ payment_email: 'new@example.test', iban: IBAN }).expect(200)).body).toEqual({
      method: 'paypal',
      complete: true,
      details: { payment_email: 'new@example.test' },
    });
    expect(await mails(t)).toEqual(['alice@shop.test', 'pay@example.test']);
    const [first] = t.host.mailbox.filter(({ to }) => to === 'pay@example.test');
    expect(first?.text).not.toContain('new@example.test');
    await save({ payment_email: 'new@example.test' }).expect(200);
    expect(await mails(t)).toHaveLength(2);
  });

  it('notifies only once where both addresses are the same, and also when an administrator changes it', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate({ payment_email: 'alice@shop.test' });
    await t.admin.patch(`/affiliates/${id}`).send({ payment_email: 'new@example.test' }).expect(200);
    expect(await mails(t)).toEqual(['alice@shop.test']);
  });

  it('takes a bank account, with an IBAN that is checked or a description where there is none', async () => {
    const t = await startApp();
    await t.records.affiliate();
    await byBank(t);
    const save = (body: object): ReturnType<ReturnType<TestApp['as']>['post']> =>
      t.as(2).post('/portal/payment-details').send(body);
    for (const [body, field, rule] of [
      [{ account_holder: 'Alice', iban: 'DE89 3704 0044 0532 0130 01' }, 'iban', 'iban'],
      [{ account_holder: 'Alice' }, 'iban', 'required'],
      [{ iban: IBAN }, 'account_holder', 'required'],
      [{ account_holder: 'Alice', iban: IBAN, bic: 'COBA' }, 'bic', 'bic'],
      [{ account_holder: 'a'.repeat(141), iban: IBAN }, 'account_holder', 'max'],
      [{ account_holder: 'Alice', other_details: 'a'.repeat(2001) }, 'other_details', 'max'],
    ] as const)
      expect((await save(body).expect(422)).body.errors[field]).toHaveProperty(rule);
    const account = { account_holder: 'Alice <b>Doe</b>', iban: IBAN, bic: 'cobadeffxxx', bank_name: 'Bank' };
    expect((await save(account).expect(200)).body).toEqual({
      method: 'bank_transfer',
      complete: true,
      details: {
        account_holder: 'Alice <b>Doe</b>',
        iban: 'DE89370400440532013000',
        bic: 'COBADEFFXXX',
        bank_name: 'Bank',
        other_details: '',
      },
    });
    expect((await t.service.affiliates.findByUser(2))?.settings.bank_details).toBe(
      'Account holder: Alice <b>Doe</b>\nIBAN: DE89370400440532013000\nBIC: COBADEFFXXX\nBank: Bank',
    );
    expect((await get(t, '/portal/payment-details')).details.iban).toBe('DE89370400440532013000');
    expect(await mails(t)).toEqual(['alice@shop.test', 'pay@example.test']);
    const other = { account_holder: 'Alice', other_details: 'Account 12345\nRouting 021000021' };
    expect((await save(other).expect(200)).body.details).toMatchObject({ ...other, iban: '' });
  });

  it('chooses which mails come', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate();
    expect(await get(t, '/portal/notifications')).toEqual({
      announcements: 'yes',
      new_commission: 'yes',
      payment_sent: 'yes',
    });
    const { body } = await t.as(2).post('/portal/notifications').send({ payment_sent: 'no' }).expect(200);
    expect(body).toEqual({ announcements: 'yes', new_commission: 'yes', payment_sent: 'no' });
    await t.records.referral({ affiliate_id: id });
    const payout = await t.records.payout();
    await t.admin.patch(`/payouts/${payout.id}/transactions/1`).send({ status: 'paid' }).expect(200);
    t.clock.advance(600_000);
    await t.service.jobs.runDue();
    expect(t.host.mailbox.filter(({ subject }) => subject.startsWith('Your payout'))).toEqual([]);
    await t.as(2).post('/portal/notifications').send({ payment_sent: 'yes' }).expect(200);
    expect(await get(t, '/portal/notifications')).toEqual({
      announcements: 'yes',
      new_commission: 'yes',
      payment_sent: 'yes',
    });
  });

  it('changes the profile where the host lets it, answers of the own fields included', async () => {
    const t = await startApp();
    await t.records.affiliate();
    const field = { name: 'city', type: 'text', label: 'City', custom: 'yes', enabled: 'yes' };
    const { fields } = (await t.admin.get('/settings/registration-fields').expect(200)).body;
    await t.admin
      .post('/settings/registration-fields')
      .send({ fields: [...fields, field] })
      .expect(200);
    expect(await get(t, '/portal/profile')).toMatchObject({
      full_name: 'Alice Doe',
      editable: true,
      custom_fields: [{ name: 'city', answer: '' }],
    });
    const save = (body: object): ReturnType<ReturnType<TestApp['as']>['post']> =>
      t.as(2).post('/portal/profile').send(body);
    const changes = { first_name: 'Ann', url: 'https://ann.example', custom_fields: { city: 'Bonn', x: 1 } };
    expect((await save(changes).expect(200)).body).toMatchObject({
      full_name: 'Ann Doe',
      url: 'https://ann.example',
      custom_fields: [{ name: 'city', answer: 'Bonn' }],
    });
    expect((await save({ url: 'javascript:alert(1)' }).expect(422)).body.errors).toHaveProperty('url');
    expect((await save({ first_name: '', last_name: '' }).expect(422)).body.errors).toHaveProperty(
      'first_name',
    );
    expect((await get(t, '/portal/profile')).full_name).toBe('Ann Doe');
  });

  it('gives links a name of their own where the program allows it', async () => {
    const t = await startApp();
    await t.records.affiliate();
    const save = (name: string | null): ReturnType<ReturnType<TestApp['as']>['post']> =>
      t.as(2).post('/portal/link-name').send({ name });
    expect((await save('ann').expect(422)).body.code).toBe('link_names_disabled');
    expect(await get(t, '/portal/link-name')).toMatchObject({ enabled: false, name: null });
    await t.admin.post('/settings/features/own_link_name').send({ is_enabled: 'yes' }).expect(200);
    expect((await save('Ann-Sews').expect(200)).body).toEqual({
      enabled: true,
      name: 'ann-sews',
      link: 'https://shop.test/?ref=ann-sews',
    });
    expect((await get(t, '/portal/bootstrap')).site_info.aff_value).toBe('ann-sews');
    expect((await save('12').expect(422)).body.errors).toHaveProperty('custom_param');
    expect((await save(null).expect(200)).body).toMatchObject({
      name: null,
      link: 'https://shop.test/?ref=1',
    });
    expect((await t.app.tracking.resolveParam('ann-sews'))?.id).toBe(1);
  });

  it('makes and deletes short links of their own only', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate();
    const other = await t.records.affiliate({ user_id: 3 });
    const make = (body: object): ReturnType<ReturnType<TestApp['as']>['post']> =>
      t.as(2).post('/portal/redirect-links').send(body);
    const { link } = (
      await make({
        slug: 'Summer',
        url: 'https://shop.test/p',
        utm_campaign: 's',
        affiliate_id: other.id,
      }).expect(200)
    ).body;
    expect(link).toMatchObject({ slug: 'summer', affiliate_id: id, link: 'https://shop.test/go/summer' });
    expect((await make({ slug: 'summer' }).expect(422)).body.code).toBe('slug_taken');
    expect((await make({ url: 'https://elsewhere.test/' }).expect(422)).body.code).toBe('foreign_url');
    const blank = await t
      .as(2)
      .post('/portal/redirect-links')
      .type('form')
      .send('slug=blank&url=&utm_campaign=')
      .expect(200);
    expect(blank.body.link).toMatchObject({ url: null, utm_campaign: null });
    await t.as(2).delete(`/portal/redirect-links/${blank.body.link.id}`).expect(200);
    await t.as(3).delete(`/portal/redirect-links/${link.id}`).expect(404);
    await t.as(2).delete(`/portal/redirect-links/${link.id}`).expect(200);
    expect((await get(t, '/portal/redirect-links')).links.total).toBe(0);
    for (let at = 0; at < 200; at += 1) await make({}).expect(200);
    expect((await make({}).expect(422)).body.code).toBe('too_many_links');
  });
});

describe('the deal', () => {
  const terms = async (t: TestApp, who: 'visitor' | number): Promise<Wire> =>
    (await (who === 'visitor' ? t.anonymous : t.as(who)).get('/portal/terms').expect(200)).body.terms;

  it('is shown to visitors before they join, with the rate of the program', async () => {
    const t = await startApp({ rate: 12.5 });
    await t.app.settings.saveReferralConfig({
      hold_days: 14,
      cookie_duration: 60,
      payout_rhythm: 'monthly',
      payout_day: 1,
      excluded_products: ['7'],
    });
    await t.app.settings.saveRules({ minPayout: '50' });
    expect(await terms(t, 'visitor')).toMatchObject({
      rate: 12.5,
      rate_type: 'percentage',
      is_own: false,
      currency: 'USD',
      cookie_days: 60,
      waiting_days: 14,
      minimum: 50,
      payment_method: 'paypal',
      next_payout: '2026-02-01',
      excluded_products: 1,
      renewals: null,
    });
    expect(await t.service.portal.terms(null)).toEqual(await terms(t, 'visitor'));
  });

  it('says to an inactive affiliate who closed the account, and the reason of a rejection', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate({ user_id: 2, status: 'pending' });
    const closed = async (): Promise<unknown> => (await t.as(2).get('/portal/terms').expect(200)).body.closed;
    const become = (status: string, reason?: string): unknown =>
      t.admin.patch(`/affiliates/${id}/status`).send({ status, reason }).expect(200);
    expect(await closed()).toBeNull();
    await become('inactive', 'Too few readers');
    expect(await closed()).toEqual({ why: 'rejected', reason: 'Too few readers' });
    await t.admin.patch(`/affiliates/${id}`).send({ note: 'Asked by phone' }).expect(200);
    expect(await closed()).toEqual({ why: 'rejected', reason: 'Too few readers' });
    await become('active');
    expect(await closed()).toBeNull();
    await become('inactive', 'Bought their own links');
    expect(await closed()).toEqual({ why: 'closed', reason: null }); // this reason is the manager's own
    await become('active');
    await t.as(2).post('/portal/leave').expect(200);
    expect(await closed()).toEqual({ why: 'left', reason: null });
    expect(
      await t
        .as(3)
        .get('/portal/terms')
        .then(({ body }) => body.closed),
    ).toBeNull();
    await t.app.db('audit').delete(); // as it is after `audit.retentionDays`
    expect(await closed()).toBeNull();
  });

  it('says to affiliates alone where to ask', async () => {
    const t = await startApp();
    await t.records.affiliate({ user_id: 2, status: 'active' });
    const contact = async (user: number): Promise<unknown> =>
      (await t.as(user).get('/portal/terms').expect(200)).body.contact;
    expect(await contact(2)).toBe('admin@example.test'); // the site's own
    await t.app.emails.saveConfig({ reply_to_email: 'help@shop.test' });
    expect(await contact(2)).toBe('help@shop.test');
    expect(await contact(3)).toBeNull();
    expect((await t.anonymous.get('/portal/terms').expect(200)).body.contact).toBeNull();
  });

  it('names the rates of single products and categories while the shop and its rates are on', async () => {
    const shop: CommerceProvider = {
      key: 'woo',
      info: { title: 'Shop', description: 'A shop', type: 'commerce' },
      abilities: new Set(['products', 'categories']),
      catalog: { search: async () => [], categoriesOf: async () => new Map() },
    };
    const t = await startApp({ providers: [shop] });
    await t.records.affiliate();
    const set = (config: object, isOn = 'yes'): Promise<unknown> =>
      t.service.integrations.settings.save('woo', { ...config, is_enabled: isOn });
    const exceptions = async (): Promise<unknown> => (await terms(t, 2)).exceptions;
    expect(await exceptions()).toEqual([]);
    await set({
      custom_affiliate_rate: 'yes',
      custom_affiliate_rates: [
        { object_type: 'product', object_ids: ['5', '7'], rate: '12.5', rate_type: 'percentage' },
        { object_type: 'category', object_ids: ['maps'], rate: 2.5, rate_type: 'fixed' },
      ],
    });
    expect(await exceptions()).toEqual([
      { provider: 'woo', kind: 'product', count: 2, rate: 12.5, rate_type: 'percentage' },
      { provider: 'woo', kind: 'category', count: 1, rate: 2.5, rate_type: 'fixed' },
    ]);
    await set({ custom_affiliate_rate: 'no' });
    expect(await exceptions()).toEqual([]);
    await set({ custom_affiliate_rate: 'yes' });
    expect(await exceptions()).toHaveLength(2);
    await set({}, 'no');
    expect(await exceptions()).toEqual([]);
  });

  it('is an affiliate’s own rate, or the one of the group', async () => {
    const t = await startApp({ rate: 12.5 });
    const group = await t.records.group({ rate: 25 });
    await t.records.affiliate({ rate_type: 'group', group_id: group.id });
    await t.records.affiliate({ user_id: 3, rate_type: 'flat', rate: 4 });
    expect(await terms(t, 2)).toMatchObject({ rate: 25, rate_type: 'percentage', is_own: true });
    expect(await terms(t, 3)).toMatchObject({ rate: 4, rate_type: 'fixed', is_own: true });
    expect(await terms(t, 4)).toMatchObject({ rate: 12.5, is_own: false });
  });
});
