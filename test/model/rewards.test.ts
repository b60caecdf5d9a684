import { expect, it, jest } from '@jest/globals';
import { fc } from '../support/random.js';
import { testEngine } from '../support/databases.js';
import { startApp, type TestApp } from '../support/app.js';
import {
  DAY,
  dueOf,
  LATER,
  recordedOf,
  RewardModel,
  rulesOf,
  type SetName,
  type ModelEvent,
} from './reward-model.js';

// Orders by changing reward rules, with bonuses, refunds, withdrawn refunds, payouts that are paid or undone, merges
// and changes of the group in between, against a model that computes everything from scratch. HISTORIES says how
// many, STEPS how long; a failure prints its shortest script, with ENDS=1 the one it was found with.
const RUNS = Number(process.env['HISTORIES'] ?? (testEngine() === 'sqlite' ? 12 : 4));
const STEPS = Number(process.env['STEPS'] ?? 35);

jest.setTimeout(60_000 + RUNS * 60_000);

const pick = fc.nat(1000);
const step = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('order' as const),
      pick,
      shoes: fc.constantFrom(0, 0, 1999, 3333),
      rest: fc.integer({ min: 101, max: 9999 }),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      pick,
      id: fc.constantFrom('r1', 'r2'),
      part: fc.constantFrom(1, 1, 2, 3),
      undone: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('cancel' as const, 'complete' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('refuse' as const), pick }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('pay' as const, 'undo' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('merge' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('group' as const), pick, isGold: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('rules' as const),
      set: fc.constantFrom<SetName | null>('A', 'B', 'A', null),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('days' as const), days: fc.integer({ min: 1, max: 25 }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Row {
  readonly id: number;
  readonly affiliate_id: number;
  readonly parent_id: number | null;
  readonly type: string;
  readonly status: string;
  readonly amount: number;
  readonly provider: string;
  readonly provider_id: string;
  readonly provider_sub_id: string;
}
const cents = (amount: number): number => Math.round(amount * 100);

class Play {
  readonly #events: ModelEvent[] = [];
  #set: { readonly id: number } | null = null;
  #count = 0;

  constructor(
    private readonly t: TestApp,
    private readonly people: readonly number[],
    private readonly gold: number,
  ) {}

  get #model(): RewardModel {
    return new RewardModel(this.people, this.#events);
  }

  async take(taken: Step): Promise<void> {
    const event = await this.#do(taken);
    const at = this.t.clock.now();
    this.#events.push({ at, ...(event ?? { do: 'nothing' }) } as ModelEvent);
    this.t.clock.advance(LATER);
    await this.t.service.jobs.runDue();
    await this.#agree();
  }

  /** What the model has to know; null for what changes nothing that is due. */
  async #do(taken: Step): Promise<object | null> {
    switch (taken.do) {
      case 'order':
        return this.#order(taken);
      case 'refund':
      case 'cancel':
      case 'complete':
        return this.#change(taken);
      case 'refuse':
        return this.#refuse(taken.pick);
      case 'pay':
      case 'undo':
        return this.#payout(taken);
      case 'merge':
        return this.#merge(taken.pick);
      case 'group':
        return this.#group(taken);
      case 'rules':
        return this.#rules(taken.set);
      default:
        this.t.clock.advance(taken.days * DAY);
        return null;
    }
  }

  #one(at: number): number {
    const living = this.#model.living();
    return living[at % living.length]!;
  }

  async #order({ pick: at, shoes, rest }: Extract<Step, { do: 'order' }>): Promise<object> {
    const who = this.#one(at);
    const ref = `O${(this.#count += 1)}`;
    const buyer = `${at % 3}@buyer.test`;
    const item = (id: string, value: number) => ({ id, subtotal: (value / 100).toFixed(2) });
    const { referral } = await this.t.service.conversions.record(null, {
      provider: 'shop',
      reference: ref,
      status: 'unpaid',
      affiliate: who,
      customer: { email: buyer },
      order: { subtotal: ((shoes + rest) / 100).toFixed(2) },
      items: [...(shoes > 0 ? [item('shoes', shoes)] : []), item('hat', rest)],
    });
    expect(referral?.affiliate_id).toBe(who);
    return { do: 'order', ref, who, shoes, rest, buyer };
  }

  async #change(taken: Extract<Step, { do: 'refund' | 'cancel' | 'complete' }>): Promise<object | null> {
    const { conversions } = this.t.service;
    const orders = [...this.#model.orders];
    const [ref, order] = orders[taken.pick % orders.length] ?? [];
    if (ref === undefined || order === undefined) return null;
    if (taken.do === 'refund') {
      const gross = Math.floor(order.total / taken.part);
      const { id, undone } = taken;
      await conversions.refund('shop', ref, { refund_id: id, amount: (gross / 100).toFixed(2), undone });
      return { do: 'refund', ref, id, gross, undone };
    }
    if (taken.do === 'cancel') await conversions.cancel('shop', ref);
    else await conversions.complete('shop', ref);
    return { do: taken.do, ref };
  }

  /** A person rejects a bonus that is open. */
  async #refuse(at: number): Promise<object | null> {
    const open = (await this.#rows()).filter(({ type, status }) => type === 'bonus' && status === 'unpaid');
    const row = open[at % open.length];
    if (row === undefined) return null;
    await this.t.admin.patch(`/referrals/${row.id}`).send({ status: 'rejected' }).expect(200);
    return { do: 'refuse', bonus: nameOf(row) };
  }

  async #payout(taken: Extract<Step, { do: 'pay' | 'undo' }>): Promise<null> {
    const { admin } = this.t;
    if (taken.do === 'pay') {
      const run = await admin
        .post('/payouts/process-payout')
        .send({ config: { title: 'Run', description: 'Run' } });
      expect([200, 422]).toContain(run.status);
      // some stay open, and can be undone
      if (run.status === 200 && taken.pick % 3 > 0)
        await admin
          .patch(`/payouts/${run.body.payout.id}/transactions/bulk-action`)
          .send({ action: 'mark_as_paid' })
          .expect(200);
      return null;
    }
    const payouts = (await admin.get('/payouts').expect(200)).body.payouts.data as { id: number }[];
    const payout = payouts[taken.pick % payouts.length];
    if (payout)
      expect([200, 422]).toContain((await admin.post(`/payouts/${payout.id}/undo`).send({})).status);
    return null;
  }

  async #merge(at: number): Promise<object | null> {
    const living = this.#model.living();
    if (living.length < 2) return null;
    const into = living[at % living.length]!;
    const from = living[(at + 1) % living.length]!;
    const { status } = await this.t.admin.post(`/affiliates/${into}/merge`).send({ other_id: from });
    expect([200, 422]).toContain(status); // a payment to one of them is open
    await this.t.app.operations.settled();
    return status === 200 ? { do: 'merge', into, from } : null;
  }

  async #group({ pick: at, isGold }: Extract<Step, { do: 'group' }>): Promise<object> {
    const who = this.#one(at);
    const group_id = isGold ? this.gold : null;
    await this.t.admin.patch(`/affiliates/${who}`).send({ group_id }).expect(200);
    return { do: 'group', who, isGold };
  }

  async #rules(set: SetName | null): Promise<object | null> {
    const { admin } = this.t;
    if (set === null) {
      if (this.#set === null) return null;
      await admin.post(`/reward-rules/${this.#set.id}/retire`).expect(200);
      this.#set = null;
      return { do: 'rules', set };
    }
    const rules = rulesOf(set, this.gold);
    const { id } = (await admin.post('/reward-rules').send({ rules }).expect(200)).body.reward_rules;
    await admin.post(`/reward-rules/${id}/activate`).send({ without_simulation: true }).expect(200);
    this.#set = { id };
    return { do: 'rules', set };
  }

  async #rows(): Promise<Row[]> {
    const { body } = await this.t.admin.get('/referrals?per_page=200&order_by=id&order_type=ASC').expect(200);
    return body.referrals.data as Row[];
  }

  async #agree(): Promise<void> {
    expect(await this.t.service.verify()).toEqual([]);
    const model = this.#model;
    const rows = await this.#rows();
    const bookedOf = (row: Row): number =>
      (row.status === 'rejected' ? 0 : cents(row.amount)) +
      rows.filter(({ parent_id: of }) => of === row.id).reduce((sum, { amount }) => sum + cents(amount), 0);
    const own = rows.filter(({ type }) => type !== 'adjustment');
    const sales = own.filter(({ provider }) => provider === 'shop');
    expect(sales.map((row) => [row.provider_id, row.affiliate_id, bookedOf(row)])).toEqual(
      [...model.orders].map(([ref, order]) => [ref, order.owner, dueOf(order)]),
    );
    const bonuses = own.filter(({ type }) => type === 'bonus');
    expect(bonuses.map((row) => [nameOf(row), row.affiliate_id, bookedOf(row)]).toSorted(byName)).toEqual(
      model.bonuses
        .map(({ name, owner, isDue, isRefused, goal }) => [
          name,
          owner,
          isDue && !isRefused ? goal.reward : 0,
        ])
        .toSorted(byName),
    );
    for (const id of model.living()) {
      const { total_earnings_minor: total } = await this.t.app.affiliates.get(id);
      expect([id, total]).toEqual([id, model.bookedOf(id)]);
    }
  }

  /** At the end: the rule behind each commission gave what was recorded, and lines add up. */
  async explain(): Promise<void> {
    const model = this.#model;
    for (const row of await this.#rows()) {
      if (row.type === 'adjustment') continue;
      const { rules } = (await this.t.admin.get(`/referrals/${row.id}`).expect(200)).body.referral;
      const given = (rules.counted as { values: { amount: string } }[]).reduce(
        (sum, { values }) => sum + cents(Number(values.amount)),
        0,
      );
      const recorded =
        row.type === 'bonus'
          ? model.bonuses.find(({ name }) => name === nameOf(row))?.goal.reward
          : recordedOf(model.orders.get(row.provider_id)!);
      expect([row.provider_id, given]).toEqual([row.provider_id, recorded]);
    }
  }
}

const byName = ([a]: unknown[], [b]: unknown[]): number => String(a).localeCompare(String(b));
const nameOf = ({ provider_id: rule, provider_sub_id: sub }: Row): string => {
  const [, who, window] = /^bonus:(\d+):(.*)$/u.exec(sub)!;
  return `${who}:${rule}:${window}`;
};

it(`what partners earn by rules and goals is what a model computes, over ${RUNS} histories`, async () => {
  const histories = fc.array(step, { minLength: 10, maxLength: STEPS });
  await fc.assert(
    fc.asyncProperty(histories, async (taken) => {
      const t = await startApp({ clawback: 'adjust', fraud: { sameOrder: 'off' } });
      const gold = await t.records.group({ rate: 20 });
      const people: number[] = [];
      for (const user_id of [2, 3, 4]) people.push(Number((await t.records.affiliate({ user_id })).id));
      const play = new Play(t, people, gold.id);
      await play.take({ do: 'rules', set: 'A' });
      for (const each of taken) await play.take(each);
      await play.explain();
    }),
    { numRuns: RUNS, endOnFailure: process.env['ENDS'] === '1' },
  );
});
