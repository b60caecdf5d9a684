import { describe, expect, it, jest } from '@jest/globals';
import { startMoney, type Door, type MoneyShop } from '../support/ways-in.js';
import { configure, inCurrency } from '../support/shop.js';
import { auditOf } from '../support/lists.js';
import { storedRows } from '../support/rows.js';

// The sequences of docs/money.md that once gave a wrong result, each through every way in that can report it.
// An order of 100.00 earns 20.00.

// Each starts a program per way in: slow on a busy database server.
jest.setTimeout(300_000);

const all = ['code', 'rest', 'provider', 'site'] as const;
/** Sites report totals only, and no disputes. */
const noSite = ['code', 'rest', 'provider'] as const;
/** What only the source of an order can say of it. */
const sources = ['code', 'provider', 'site'] as const;
const shops = ['code', 'provider'] as const;

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
    through(shops, async (shop, door) => {
      await door.order('A-1', { net: '100.00' });
      await door.fail?.('A-1');
      await door.refund('A-1', '40.00');
      expect((await state(door))[0]).toBe('rejected');
      await shop.edit(await idOf(door), { status: 'unpaid' });
      expect(await state(door)).toEqual(['unpaid', 12]);
    }));

  it('6: a lost dispute or a cancellation after the payout is taken back, and a later refund changes nothing more', () =>
    through(shops, async (shop, door) => {
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
    through(['code', 'rest', 'site'], async (_shop, door) => {
      await door.order('A-1', { net: '100.00' });
      await door.refund('A-1', '80.00');
      await door.refundBase?.('A-1', '10.00');
      expect(await state(door)).toEqual(['unpaid', 4]);
    }));

  it('10: a refund in another currency is held, or converted by the host and marked so', async () => {
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

  it('11: another program currency counts every affiliate anew', () =>
    through(sources, async (shop, door) => {
      await door.order('A-1', { net: '315.00' });
      await door.order('A-2', { net: '5000', currency: 'JPY', email: 'kim@buyer.test' });
      expect(await shop.earnings()).toEqual([63, 63]);
      expect(await shop.balances()).toEqual({ JPY: { total_earnings: 1000, unpaid_earnings: 1000 } });

      const asked = await shop.admin
        .post('/settings/referral-config')
        .send({ referral_config: { currency: 'JPY' } })
        .expect(422);
      expect(asked.body).toMatchObject({
        code: 'currency_owed',
        data: { owed: [{ currency: 'USD', amount: '63.00' }] },
      });
      expect(await shop.earnings()).toEqual([63, 63]);
      await inCurrency(shop, 'JPY');
      expect(await shop.earnings()).toEqual([1000, 1000]);
      expect(await shop.balances()).toEqual({ USD: { total_earnings: 63, unpaid_earnings: 63 } });
      expect(await shop.service.verify()).toEqual([]);
      expect(await auditOf(shop, 'action=settings.currency_changed')).toHaveLength(1);

      await shop.payOut();
      const refused = await shop.admin
        .post('/settings/referral-config')
        .send({ referral_config: { currency: 'USD' } })
        .expect(422);
      expect(refused.body).toMatchObject({
        code: 'payout_open',
        message: expect.stringContaining('These payouts are still open: 1.'),
        data: { payouts: [1] },
      });
      expect(await shop.earnings()).toEqual([1000, 0]);
      await shop.admin
        .post('/settings/referral-config')
        .send({ referral_config: { currency: 'USD' }, confirm: true })
        .expect(200);
      expect(await shop.earnings()).toEqual([63, 63]);
      expect(await shop.balances()).toEqual({ JPY: { total_earnings: 1000, unpaid_earnings: 0 } });
    }));

  it('11: a refund right after another currency was saved counts in its own', () =>
    through(sources, async (shop, door) => {
      await door.order('A-1', { net: '100.00' });
      await door.order('A-2', { net: '50.00', currency: 'EUR', email: 'kim@buyer.test' });
      await inCurrency(shop, 'EUR');
      await door.refund('A-1', '50.00');
      expect(await shop.earnings()).toEqual([10, 10]);
      expect(await shop.balances()).toEqual({ USD: { total_earnings: 10, unpaid_earnings: 10 } });
    }));

  it.each([
    ['an invoice that is never paid', { net: '0.05', paid: false }],
    ['a free opt-in', { net: '0.00', type: 'opt_in' }],
  ] as const)('12: %s binds no customer', (_name, bought) =>
    through(sources, async (shop, door) => {
      await configure(shop, {
        enable_lifetime_commission: 'yes',
        lifetime_rate: 10,
        lifetime_rate_type: 'percentage',
      });
      const victim = { email: 'victim@buyer.test' };
      await door.order('bait', { ...bought, ...victim });
      const later = { net: '1000.00', affiliate: null, ...victim };
      const big = await shop.doors.code.order('big', later);
      expect(big).toMatchObject({ referral: null, reason: 'no_affiliate' });
      // Paying the bait afterwards is too late: the buyer has bought on his own.
      await door.pay('bait');
      const next = await shop.doors.code.order('next', later);
      expect(next).toMatchObject({ referral: null, reason: 'no_affiliate' });
    }),
  );

  it("12: another affiliate's first paid order takes the customer", () =>
    through(sources, async (shop, door) => {
      const other = await shop.records.affiliate({ user_id: 3, status: 'active' });
      const victim = { email: 'victim@buyer.test' };
      await door.order('bait', { net: '0.05', paid: false, ...victim });
      await shop.doors.code.order('real', { net: '100.00', affiliate: Number(other.id), ...victim });
      await door.pay('bait');
      const { body } = await shop.admin.get(`/affiliates/${other.id}/customers`).expect(200);
      expect(body.customers.data).toMatchObject([{ email: 'victim@buyer.test', by_affiliate_id: other.id }]);
    }));

  it.each(['rule', 'person'])('13: what a %s holds stays held when a dispute is won', (who) =>
    through(
      shops,
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

  it.each(['held', 'unpaid'])('14: renewals of a first payment that is %s wait with it', (how) =>
    through(
      shops,
      async (shop, door) => {
        await configure(shop, {
          enable_subscription_renewal: 'yes',
          renewal_rate: 10,
          renewal_rate_type: 'percentage',
          max_renewal_count: 0,
        });
        await shop.configureShop({ enable_subscription_renewal: 'yes' });
        const email = how === 'held' ? 'x@yopmail.com' : 'jo@buyer.test';
        const paid = how === 'held';
        await door.order('S-1', { net: '100.00', email, paid, subscription: { id: 'sub' } });
        await door.order('S-2', { net: '100.00', email, subscription: { id: 'sub', phase: 'renewal' } });
        const renewal = await door.row('S-2');
        expect(renewal).toMatchObject({ status: 'pending', amount: 10, type: 'recurring_sale' });
        expect((await shop.explain(renewal?.['id']))['reasons']).toEqual([
          how === 'held' ? 'fraud:disposable_mail' : 'unpaid_order',
        ]);
        expect(await shop.earnings()).toEqual([0, 0]);
        if (how === 'held') await shop.edit(await idOf(door, 'S-1'), { status: 'unpaid' });
        else await door.pay('S-1');
        expect(await shop.earnings()).toEqual([30, 30]);
      },
      { fraud: { disposableMail: 'hold' } },
    ),
  );

  it('15: an order is known for ever, also when its affiliate was deleted and created again', async () => {
    for (const name of sources) {
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

  it('16: a referral a person deleted stays deleted, whatever is reported of its order', () =>
    through(sources, async (shop, door) => {
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
      const facts = await storedRows(shop, 'order_facts'); // no commission is left that would show them
      expect(facts.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['deleted', 'refund']));
    }));

  it('16: and the route for refunds says that there is none', () =>
    through(['rest'], async (shop, door) => {
      await door.order('A-1', { net: '100.00' });
      const id = String(await idOf(door));
      await shop.admin.delete(`/referrals/${id}`).expect(200);
      await shop.admin.post(`/referrals/${id}/refunds`).send({ refunded_total: 10 }).expect(404);
    }));

  it('17: what the buyer got back is measured against what he paid', () =>
    through(all, async (_shop, door) => {
      await door.order('A-1', { net: '100.00', tax: '25.00' });
      await door.refund('A-1', '100.00');
      expect(await state(door)).toEqual(['unpaid', 4]);
    }));

  it.each([
    ['the net, with shipping beside', {}, [20, 9.23]],
    ['the net and the shipping', { exclude_shipping: 'no' }, [21, 9.69]],
    ['the net and the tax', { exclude_tax: 'no' }, [25, 11.54]],
    ['everything', { exclude_tax: 'no', exclude_shipping: 'no' }, [26, 12]],
  ])('17: also when the commission is computed from %s', (_name, config, [whole, left]) =>
    through(all, async (shop, door) => {
      // 130.00 are charged and 70.00 go back: 6/13 of the commission stay.
      await configure(shop, config);
      await door.order('A-1', { net: '100.00', tax: '25.00', shipping: '5.00' });
      expect(await state(door)).toEqual(['unpaid', whole]);
      await door.refund('A-1', '70.00');
      expect(await state(door)).toEqual(['unpaid', left]);
    }),
  );

  it('17: and a part of the basis against the basis', () =>
    through(['code', 'rest', 'site'], async (_shop, door) => {
      await door.order('A-1', { net: '100.00', tax: '25.00' });
      await door.refundBase?.('A-1', '80.00');
      expect(await state(door)).toEqual(['unpaid', 4]);
    }));

  it('20: items cannot be worth more than their order', () =>
    through(shops, async (shop, door) => {
      const rates = [{ object_type: 'product', object_ids: ['p1'], rate: 50 }];
      await shop.configureShop({ custom_affiliate_rate: 'yes', custom_affiliate_rates: rates });
      await door.order('A-1', { net: '10.00', item: '1000.00' });
      expect(await door.row('A-1')).toMatchObject({ amount: 5, order_total: 10, status: 'pending' });
      expect((await shop.explain(await idOf(door)))['reasons']).toEqual(['totals_mismatch']);
    }));
});

describe('facts', () => {
  const startReported = async (): Promise<MoneyShop> => {
    const shop = await startMoney();
    await shop.doors.code.order('A-1', { net: '100.00' });
    await shop.doors.code.refund('A-1', '10.00');
    await shop.doors.provider.order('B-1', { net: '100.00', paid: false, email: 'kim@buyer.test' });
    await shop.edit(await idOf(shop.doors.provider, 'B-1'), { status: 'unpaid', amount: 5 });
    await shop.doors.site.order('C-1', { net: '100.00', email: 'lee@buyer.test' });
    await shop.admin.delete(`/referrals/${String(await idOf(shop.doors.site, 'C-1'))}`).expect(200);
    expect(await shop.service.verify()).toEqual([]);
    return shop;
  };
  const broken = async (shop: MoneyShop): Promise<unknown[]> =>
    (await shop.service.verify())
      .filter(({ invariant }) => invariant === 'I16')
      .map(({ table, id }) => [table, Number(id)]);

  it('are never changed, removed or added by hand, which verify() finds', async () => {
    const shop = await startReported();
    const { db } = shop.app;
    const facts = await db('order_facts').select('*').orderBy('id');
    const [first, last] = [facts[0], facts.at(-1)];
    const [one, other] = [
      ['orders', Number(first.order_id)],
      ['orders', Number(last.order_id)],
    ];
    await db('order_facts')
      .where({ id: first.id })
      .update({ at: Number(first.at) - 1 });
    expect(await broken(shop)).toEqual([one]);
    await db('order_facts').where({ id: first.id }).update({ at: first.at });
    expect(await broken(shop)).toEqual([]);

    await db('order_facts').where({ id: last.id }).delete();
    expect(await broken(shop)).toEqual([other]);
    await db('order_facts').insert(last);
    expect(await broken(shop)).toEqual([]);

    const { id: _id, ...copy } = last;
    const slipped = { order_id: first.order_id, fact_key: 'flag:by hand' };
    await db('order_facts').insert({ ...copy, ...slipped });
    expect(await broken(shop)).toEqual([one]);
    // Changed facts are for a person to review.
    await shop.app.ledger.reconcile();
    expect(await broken(shop)).toEqual([one]);
    await db('order_facts').where(slipped).delete();
  });

  it('stay when their customer is forgotten', async () => {
    const shop = await startReported();
    const facts = await storedRows(shop, 'order_facts');
    await shop.send({ type: 'customer.erase', customer_ref: 'x', email: 'jo@buyer.test' }).expect(200);
    expect(await storedRows(shop, 'order_facts')).toEqual(facts);
    expect(await shop.service.verify()).toEqual([]);
  });
});
