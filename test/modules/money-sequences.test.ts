import { describe, expect, it, jest } from '@jest/globals';
import { startMoney, type Door, type MoneyShop } from '../support/money-doors.js';
import { configure } from '../support/shop.js';

// The sequences of docs/money.md that once came out wrong, each through every way in that can tell it. An order of 100.00 earns 20.00.

// Each starts a program per way in: slow on a busy database server.
jest.setTimeout(300_000);

const all = ['code', 'provider', 'site'] as const;
const noSite = ['code', 'provider'] as const;

async function through(
  names: readonly Door['name'][],
  play: (shop: MoneyShop, door: Door) => Promise<void>,
  options: Parameters<typeof startMoney>[0] = {},
): Promise<void> {
  for (const name of names) {
    const shop = await startMoney(options);
    await play(shop, shop.doors[name]);
    expect([name, await shop.service.verify()]).toEqual([name, []]);
  }
}

const idOf = async (door: Door, reference = 'A-1'): Promise<unknown> => (await door.row(reference))?.['id'];
const state = async (door: Door, reference = 'A-1'): Promise<unknown[]> => {
  const row = await door.row(reference);
  return [row?.['status'], row?.['amount']];
};
const adjustments = async (shop: MoneyShop): Promise<unknown[]> =>
  (await shop.referrals())
    .filter((row) => row['type'] === 'adjustment')
    .map((row) => [row['status'], row['amount']]);

describe('sequences', () => {
  it('1: a corrected amount shrinks with a later refund', () =>
    through(all, async (shop, door) => {
      await door.order('A-1', { net: '100.00' });
      await shop.edit(await idOf(door), { amount: 5, reason: 'agreed by phone' });
      await door.refund('A-1', '10.00');
      expect(await state(door)).toEqual(['unpaid', 4.5]);
      const { steps } = await shop.explain(await idOf(door));
      expect((steps as { text: string }[]).map(({ text }) => text)).toEqual([
        '20% (global rate) of 100.00 = 20.00.',
        '10.00 of 100.00 refunded, which leaves 90.00 of 100.00: 20.00 becomes 18.00.',
        'Corrected to 5.00 on 2026-01-15 by user 1: agreed by phone.',
        'Refunded since then, in proportion: 5.00 becomes 4.50.',
        'Due: 4.50.',
      ]);
    }));

  it('2: an amount corrected to nothing stays nothing', () =>
    through(all, async (shop, door) => {
      await door.order('A-1', { net: '100.00' });
      await shop.edit(await idOf(door), { amount: 0 });
      await door.refund('A-1', '0.01');
      expect(await state(door)).toEqual(['unpaid', 0]);
      expect(await shop.earnings()).toEqual([0, 0]);
    }));

  it('3: refunded in full after the payout, the payout undone: nothing is due', () =>
    through(
      all,
      async (shop, door) => {
        await door.order('A-1', { net: '100.00' });
        const payout = await shop.payOut();
        await door.refund('A-1', '100.00');
        expect(await state(door)).toEqual(['paid', 20]);
        expect(await adjustments(shop)).toEqual([]);
        await shop.undo(payout);
        expect(await state(door)).toEqual(['rejected', 0]);
        expect((await shop.app.referrals.get(Number(await idOf(door)))).reject_reason).toBe('refunded');
        await door.refund('A-1', '100.00');
        expect(await shop.earnings()).toEqual([0, 0]);
      },
      { clawback: 'off' },
    ));

  it('4: refunded in full while in a payout, the transaction deleted: not paid again', () =>
    through(all, async (shop, door) => {
      await door.order('A-1', { net: '100.00' });
      const payout = await shop.payOut();
      await door.refund('A-1', '100.00');
      expect(await adjustments(shop)).toEqual([['unpaid', -20]]);
      await shop.undo(payout);
      expect([await state(door), await adjustments(shop)]).toEqual([['rejected', 0], []]);
      expect(await shop.earnings()).toEqual([0, 0]);
    }));

  it('5: a refund that came while rejected counts when it is approved later', () =>
    through(all, async (shop, door) => {
      await door.order('A-1', { net: '100.00' });
      await shop.edit(await idOf(door), { status: 'rejected' });
      await door.refund('A-1', '40.00');
      await shop.edit(await idOf(door), { status: 'unpaid' });
      expect(await state(door)).toEqual(['unpaid', 12]);
    }));

  it('5: and one that came after the payment failed', () =>
    through(noSite, async (shop, door) => {
      await door.order('A-1', { net: '100.00' });
      await door.fail?.('A-1');
      await door.refund('A-1', '40.00');
      expect((await state(door))[0]).toBe('rejected');
      await shop.edit(await idOf(door), { status: 'unpaid' });
      expect(await state(door)).toEqual(['unpaid', 12]);
    }));

  it('6: a lost dispute or a cancellation after the payout is taken back, and a later refund changes nothing more', () =>
    through(noSite, async (shop, door) => {
      await door.order('A-1', { net: '100.00' });
      await door.order('A-2', { net: '100.00', email: 'kim@buyer.test' });
      await shop.payOut();
      await door.dispute?.('A-1', 'lost');
      await door.cancel('A-2');
      expect(await adjustments(shop)).toEqual([
        ['unpaid', -20],
        ['unpaid', -20],
      ]);
      await door.refund('A-1', '50.00');
      expect(await shop.earnings()).toEqual([0, -40]);
    }));

  it('6: a cancellation by a site too', () =>
    through(['site'], async (shop, door) => {
      await door.order('A-1', { net: '100.00' });
      await shop.payOut();
      await door.cancel('A-1');
      expect(await adjustments(shop)).toEqual([['unpaid', -20]]);
    }));

  it('7: a refund that was undone after the payout takes its deduction with it', () =>
    through(noSite, async (shop, door) => {
      await door.order('A-1', { net: '100.00' });
      await shop.payOut();
      await door.refund('A-1', '50.00');
      expect(await adjustments(shop)).toEqual([['unpaid', -10]]);
      await door.refundUndone?.('A-1', '0.00');
      expect([await state(door), await adjustments(shop)]).toEqual([['paid', 20], []]);
      expect(await shop.earnings()).toEqual([20, 0]);
    }));

  it('7: and one whose deduction was paid is given back', () =>
    through(noSite, async (shop, door) => {
      await door.order('A-1', { net: '100.00' });
      await shop.payOut();
      await door.refund('A-1', '50.00');
      await door.order('A-2', { net: '100.00', email: 'kim@buyer.test' });
      await shop.payOut();
      await door.refundUndone?.('A-1', '0.00');
      expect(await adjustments(shop)).toEqual([
        ['paid', -10],
        ['unpaid', 10],
      ]);
      expect(await shop.earnings()).toEqual([40, 10]);
    }));

  it('8: refunded, the transaction deleted, more refunded: deducted once', () =>
    through(all, async (shop, door) => {
      await door.order('A-1', { net: '100.00' });
      const first = await shop.payOut();
      await door.refund('A-1', '50.00');
      await shop.undo(first);
      expect([await state(door), await adjustments(shop)]).toEqual([['unpaid', 10], []]);
      await door.refund('A-1', '75.00');
      expect([await state(door), await adjustments(shop)]).toEqual([['unpaid', 5], []]);
      expect(await shop.earnings()).toEqual([5, 5]);
    }));

  it('8: also when the deduction was paid before', () =>
    through(all, async (shop, door) => {
      await door.order('A-1', { net: '100.00' });
      const first = await shop.payOut();
      await door.refund('A-1', '50.00');
      await door.order('A-2', { net: '100.00', email: 'kim@buyer.test' });
      await shop.payOut();
      await shop.undo(first);
      // 10.00 are due, and 10.00 were deducted already: 20.00 less 10.00.
      expect([await state(door), await adjustments(shop)]).toEqual([['unpaid', 20], [['paid', -10]]]);
      await door.refund('A-1', '100.00');
      expect(await state(door)).toEqual(['rejected', 0]);
      expect(await adjustments(shop)).toEqual([
        ['paid', -10],
        ['unpaid', 10],
      ]);
      expect(await shop.earnings()).toEqual([20, 10]);
    }));

  it('9: a refund never raises a commission', () =>
    through(['code', 'site'], async (_shop, door) => {
      await door.order('A-1', { net: '100.00' });
      await door.refund('A-1', '80.00');
      await door.refundBase?.('A-1', '10.00');
      expect(await state(door)).toEqual(['unpaid', 4]);
    }));

  it('10: a refund in another currency is held, or converted by the host and said so', async () => {
    await through(noSite, async (shop, door) => {
      await door.order('A-1', { net: '100.00' });
      await door.refundOne?.('A-1', 'r1', '40.00', { currency: 'EUR' });
      expect(await state(door)).toEqual(['pending', 20]);
      expect((await shop.explain(await idOf(door)))['reasons']).toEqual(['currency_mismatch']);
      await shop.edit(await idOf(door), { status: 'unpaid', amount: 8 });
      expect(await state(door)).toEqual(['unpaid', 8]);
    });
    await through(noSite, async (shop, door) => {
      Object.assign(shop.host, { exchangeRate: () => '1.25' });
      await door.order('A-1', { net: '100.00' });
      await door.refundOne?.('A-1', 'r1', '40.00', { currency: 'EUR' });
      expect(await state(door)).toEqual(['unpaid', 10]);
      const { steps } = await shop.explain(await idOf(door));
      expect(JSON.stringify(steps)).toContain('A refund of 40.00 EUR was converted at 1.25.');
    });
  });

  it('11: another program currency counts every affiliate anew', async () => {
    const shop = await startMoney();
    const { code } = shop.doors;
    await code.order('A-1', { net: '315.00' });
    await code.order('A-2', { net: '5000', currency: 'JPY', email: 'kim@buyer.test' });
    expect(await shop.earnings()).toEqual([63, 63]);

    await configure(shop, { currency: 'JPY' });
    expect(await shop.earnings()).toEqual([1000, 1000]);
    expect(await shop.service.verify()).toEqual([]);
    expect((await shop.app.db('audit').where({ action: 'settings.currency_changed' })).length).toBe(1);

    await shop.payOut();
    const refused = await shop.admin
      .post('/settings/referral-config')
      .send({ referral_config: { currency: 'USD' } })
      .expect(422);
    expect(refused.body.code).toBe('payout_open');
    expect(await shop.earnings()).toEqual([1000, 0]);
    await shop.admin
      .post('/settings/referral-config')
      .send({ referral_config: { currency: 'USD' }, confirm: true })
      .expect(200);
    expect(await shop.earnings()).toEqual([63, 63]);
  });

  it.each([
    ['an invoice that is never paid', { net: '0.05', paid: false }, 'sale'],
    ['a free opt-in', { net: '0.00', paid: true }, 'opt_in'],
  ] as const)('12: %s binds no customer', async (_name, bought, type) => {
    const shop = await startMoney();
    await configure(shop, {
      enable_lifetime_commission: 'yes',
      lifetime_rate: 10,
      lifetime_rate_type: 'percentage',
    });
    const { conversions } = shop.service;
    await conversions.record(null, {
      provider: 'shop',
      reference: 'bait',
      type,
      status: bought.paid ? 'unpaid' : 'pending',
      order: { subtotal: bought.net },
      customer: { email: 'victim@buyer.test' },
      affiliate: shop.affiliate.id,
    });
    const later = await conversions.record(null, {
      provider: 'shop',
      reference: 'big',
      status: 'unpaid',
      order: { subtotal: '1000.00' },
      customer: { email: 'victim@buyer.test' },
    });
    expect(later).toMatchObject({ referral: null, reason: 'no_affiliate' });
    // Paying the bait afterwards is too late: the buyer has bought on his own.
    await conversions.complete('shop', 'bait');
    const next = await conversions.record(null, {
      provider: 'shop',
      reference: 'next',
      status: 'unpaid',
      order: { subtotal: '1000.00' },
      customer: { email: 'victim@buyer.test' },
    });
    expect(next).toMatchObject({ referral: null, reason: 'no_affiliate' });
  });

  it("12: another affiliate's first paid order takes the customer", async () => {
    const shop = await startMoney();
    const other = await shop.records.affiliate({ user_id: 3 });
    await shop.doors.code.order('bait', { net: '0.05', paid: false, email: 'victim@buyer.test' });
    await shop.service.conversions.record(null, {
      provider: 'shop',
      reference: 'real',
      status: 'unpaid',
      order: { subtotal: '100.00' },
      customer: { email: 'victim@buyer.test' },
      affiliate: other.id,
    });
    await shop.doors.code.pay('bait');
    const { body } = await shop.admin.get(`/affiliates/${other.id}/customers`).expect(200);
    expect(body.customers.data).toMatchObject([{ email: 'victim@buyer.test', by_affiliate_id: other.id }]);
  });

  it.each(['rule', 'person'])('13: what a %s holds stays held when a dispute is won', (who) =>
    through(
      noSite,
      async (shop, door) => {
        await door.order('A-1', { net: '100.00', email: 'x@yopmail.com' });
        if (who === 'person') await shop.edit(await idOf(door), { status: 'pending' });
        await door.dispute?.('A-1', 'opened');
        await door.dispute?.('A-1', 'won');
        expect(await state(door)).toEqual(['pending', 20]);
        expect((await shop.explain(await idOf(door)))['reasons']).toEqual(
          who === 'rule' ? ['fraud:disposable_mail'] : ['manual'],
        );
        await shop.admin
          .post('/payouts/process-payout')
          .send({ config: { title: 'Run', description: 'Run' } })
          .expect(422);
        await shop.edit(await idOf(door), { status: 'unpaid' });
        expect(await state(door)).toEqual(['unpaid', 20]);
      },
      who === 'rule' ? { fraud: { disposableMail: 'hold' } } : {},
    ),
  );

  it.each(['held', 'unpaid'])('14: renewals of a first payment that is %s wait with it', async (how) => {
    const shop = await startMoney({ fraud: { disposableMail: 'hold' } });
    await configure(shop, {
      enable_subscription_renewal: 'yes',
      renewal_rate: 10,
      renewal_rate_type: 'percentage',
      max_renewal_count: 0,
    });
    const { conversions } = shop.service;
    const record = (reference: string, more: object): ReturnType<typeof conversions.record> =>
      conversions.record(null, {
        provider: 'shop',
        reference,
        order: { subtotal: '100.00' },
        customer: { email: how === 'held' ? 'x@yopmail.com' : 'jo@buyer.test' },
        ...more,
      });
    const first = await record('S-1', {
      status: how === 'held' ? 'unpaid' : 'pending',
      affiliate: shop.affiliate.id,
      subscription: { id: 'sub' },
    });
    const renewal = await record('S-2', { status: 'unpaid', subscription: { id: 'sub', phase: 'renewal' } });
    expect(renewal.referral).toMatchObject({ status: 'pending', amount: 10, type: 'recurring_sale' });
    expect((await shop.explain(renewal.referral?.id))['reasons']).toEqual([
      how === 'held' ? 'fraud:disposable_mail' : 'unpaid_order',
    ]);
    expect(await shop.earnings()).toEqual([0, 0]);
    if (how === 'held') await shop.edit(first.referral?.id, { status: 'unpaid' });
    else await conversions.complete('shop', 'S-1');
    expect(await shop.earnings()).toEqual([30, 30]);
  });

  it('15: an order is known for ever, also when its affiliate was deleted and created again', async () => {
    for (const name of all) {
      const shop = await startMoney();
      const door = shop.doors[name];
      await door.order('A-1', { net: '100.00' });
      await shop.payOut();
      await shop.admin.delete(`/affiliates/${shop.affiliate.id}`).expect(200);
      const again = await shop.records.affiliate({ user_id: 2, status: 'active' });
      const back = { ...shop, affiliate: again };
      Object.assign(shop.affiliate, { id: again.id });
      const answer = await door.order('A-1', { net: '100.00' });
      if (name !== 'provider') expect(JSON.stringify(answer)).toContain('deleted');
      expect(await shop.earnings(back.affiliate.id)).toEqual([0, 0]);
      expect(await shop.referrals()).toEqual([]);
    }
  });

  it('16: a referral a person deleted stays deleted, whatever is told of its order', () =>
    through(all, async (shop, door) => {
      await door.order('A-1', { net: '100.00' });
      await shop.admin.delete(`/referrals/${String(await idOf(door))}`).expect(200);
      const answers = [
        await door.order('A-1', { net: '100.00' }),
        await door.pay('A-1'),
        await door.refund('A-1', '10.00'),
      ];
      if (door.name !== 'provider')
        for (const answer of answers) expect(JSON.stringify(answer)).toContain('deleted');
      expect(await shop.referrals()).toEqual([]);
      expect(await shop.earnings()).toEqual([0, 0]);
      const facts = await shop.app.db('order_facts').select('kind').orderBy('id');
      expect(facts.map(({ kind }: { kind: string }) => kind)).toEqual(
        expect.arrayContaining(['deleted', 'refund']),
      );
    }));

  it('17: what the buyer got back is measured against what he paid', () =>
    through(all, async (_shop, door) => {
      await door.order('A-1', { net: '100.00', tax: '25.00' });
      await door.refund('A-1', '100.00');
      expect(await state(door)).toEqual(['unpaid', 4]);
    }));

  it('20: items can not be worth more than their order', async () => {
    const shop = await startMoney();
    const { referral } = await shop.service.conversions.record(null, {
      provider: 'shop',
      reference: 'A-1',
      status: 'unpaid',
      order: { subtotal: '10.00' },
      items: [{ id: 'p1', subtotal: '1000.00' }],
      rules: [{ object_type: 'product', object_ids: ['p1'], rate_e4: 500_000, rate_type: 'percentage' }],
      affiliate: shop.affiliate.id,
    });
    expect(referral).toMatchObject({ amount: 5, order_total: 10, status: 'pending' });
    expect((await shop.explain(referral?.id))['reasons']).toEqual(['totals_mismatch']);
  });
});
