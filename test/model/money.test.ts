import { expect, it } from '@jest/globals';
import { fc } from '../support/random.js';
import { emptyDatabase } from '../support/databases.js';
import { order as wire, startCommerce, type CommerceShop } from '../support/commerce.js';
import { owed, type ModelOrder } from './money-model.js';

// Histories of three orders, reported by a shop in two random orders of arrival with repeats,
// against a model that computes from scratch.
// HISTORIES says how many; the seed is that of every random test, and a failure prints its shortest script.
const RUNS = Number(process.env['HISTORIES'] ?? 12);
const ORDERS = [10_000, 4_999, 333];

type Fact =
  | { readonly do: 'pay' }
  | { readonly do: 'fail' }
  | { readonly do: 'refund'; readonly id: number; readonly share: number }
  | { readonly do: 'undo'; readonly id: number; readonly share: number }
  | { readonly do: 'total'; readonly share: number }
  | { readonly do: 'dispute'; readonly id: number; readonly state: 'opened' | 'won' | 'lost' };
type Judgement =
  | { readonly do: 'correct'; readonly share: number }
  | { readonly do: 'approve' | 'reject' | 'hold' | 'delete' };
type Action = Judgement | { readonly do: 'payout' | 'markPaid' | 'release' | 'currency' | 'forget' };
const isJudgement = (action: Action): action is Judgement =>
  ['correct', 'approve', 'reject', 'hold', 'delete'].includes(action.do);
/** Facts of the shop are reported together, in any order; then a person does something. */
interface Step {
  readonly on: number;
  readonly facts: readonly Fact[];
  readonly shuffle: readonly [number, number];
  readonly after: Action;
  /** Reading between two steps refreshes what the service remembers: some follow each other unseen. */
  readonly look: boolean;
}

const share = fc.integer({ min: 1, max: 100 });
const id = fc.integer({ min: 1, max: 2 });
const fact: fc.Arbitrary<Fact> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pay' as const) }) },
  fc.record({ do: fc.constant('fail' as const) }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('refund' as const), id, share }) },
  fc.record({ do: fc.constant('undo' as const), id, share }),
  fc.record({ do: fc.constant('total' as const), share }),
  fc.record({
    do: fc.constant('dispute' as const),
    id,
    state: fc.constantFrom('opened' as const, 'won' as const, 'lost' as const),
  }),
);
const plain = (...names: Exclude<Action['do'], 'correct'>[]): fc.Arbitrary<Action> =>
  fc.constantFrom(...names.map((name) => ({ do: name })));
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constant('correct' as const), share }),
  { weight: 2, arbitrary: plain('approve', 'reject', 'hold') },
  { weight: 4, arbitrary: plain('payout', 'release', 'markPaid') },
  plain('delete', 'currency', 'forget'),
);
const histories = fc.array(
  fc.record({
    on: fc.nat(ORDERS.length - 1),
    facts: fc.array(fact, { maxLength: 3 }),
    shuffle: fc.tuple(fc.nat(1000), fc.nat(1000)),
    after: action,
    look: fc.boolean(),
  }),
  { minLength: 3, maxLength: 10 },
);

interface Row {
  readonly id: number;
  readonly status: string;
  readonly amount: number;
  readonly type: string;
  readonly parent_id: number | null;
  readonly provider_id: unknown;
}
const cents = (amount: number): number => Math.round(amount * 100);
const decimal = (amount: number): string => (amount / 100).toFixed(2);
const refOf = (on: number): string => `O-${on}`;

/** One run of a history; `arrival` picks the order in which facts of a step come in. */
class Play {
  readonly orders: (ModelOrder & { deleted: boolean })[] = ORDERS.map((total) => ({
    total,
    facts: [],
    deleted: false,
  }));
  #currency = 'USD';

  constructor(
    private readonly t: CommerceShop,
    private readonly arrival: 0 | 1,
  ) {}

  async run(steps: readonly Step[]): Promise<unknown> {
    for (const [on] of ORDERS.entries()) await this.#send('order.created', on, this.t.clock.time);
    await this.#agree();
    for (const step of steps) {
      await this.#tell(step);
      if (step.look) await this.#agree();
      await this.#act(step);
      if (step.look) await this.#agree();
    }
    await this.#agree();
    return Promise.all(ORDERS.map(async (_, on) => this.#booked(on, await this.#rows())));
  }

  /** Each fact has its own time, given before they are shuffled; some come twice. */
  async #tell({ on, facts, shuffle }: Step): Promise<void> {
    const timed = facts.map((each) => {
      this.t.clock.advance(1000);
      return { each, at: this.t.clock.time };
    });
    const salt = shuffle[this.arrival];
    const mixed = [...timed, ...timed.slice(0, salt % 2)].toSorted(
      (a, b) => (((a.at / 1000) * (salt + 7)) % 101) - (((b.at / 1000) * (salt + 7)) % 101),
    );
    for (const { each, at } of timed) this.#note(this.orders[on]!, each, at);
    for (const { each, at } of mixed) await this.#fact(on, each, at);
  }

  #note(order: ModelOrder, each: Fact, at: number): void {
    const gross = 'share' in each ? Math.ceil((order.total * each.share) / 100) : 0;
    if (each.do === 'pay' || each.do === 'fail')
      order.facts.push({ do: each.do === 'pay' ? 'paid' : 'failed', at });
    else if (each.do === 'total') order.facts.push({ do: 'refundTotal', gross, at });
    else if (each.do === 'dispute')
      order.facts.push({ do: 'dispute', id: `d${each.id}`, state: each.state, at });
    else order.facts.push({ do: 'refund', id: `r${each.id}`, gross, undone: each.do === 'undo', at });
  }

  async #fact(on: number, each: Fact, at: number): Promise<void> {
    const total = ORDERS[on]!;
    const gross = 'share' in each ? decimal(Math.ceil((total * each.share) / 100)) : '0';
    const refund = {
      order_ref: refOf(on),
      gross,
      currency: 'USD',
      state: each.do === 'undo' ? 'undone' : 'done',
    };
    if (each.do === 'pay') await this.#send('order.paid', on, at);
    else if (each.do === 'fail')
      await this.t.send({ type: 'order.canceled', order_ref: refOf(on), reason: 'failed', at }).expect(200);
    else if (each.do === 'dispute')
      await this.t
        .send({ type: `dispute.${each.state}`, order_ref: refOf(on), dispute_id: `d${each.id}`, at })
        .expect(200);
    else
      await this.t
        .send({
          type: 'order.refunded',
          refund: each.do === 'total' ? refund : { ...refund, refund_id: `r${each.id}` },
          at,
        })
        .expect(200);
  }

  async #send(type: string, on: number, at: number): Promise<void> {
    const totals = { goods: decimal(ORDERS[on]!), grand_total: decimal(ORDERS[on]!) };
    const attribution = { token: await tokens.get(this.t)! };
    const body = wire({
      id: refOf(on),
      totals,
      items: [],
      customer: { email: `b${on}@buyer.test` },
      attribution,
    });
    await this.t.send({ type, at, order: body }).expect(200);
  }

  async #act({ on, after: then }: Step): Promise<void> {
    this.t.clock.advance(1000);
    const { admin } = this.t;
    if (then.do === 'payout')
      await admin
        .post('/payouts/process-payout')
        .send({ config: { title: 'Run', description: 'Run', currency: 'USD' } });
    else if (then.do === 'markPaid' || then.do === 'release') await this.#transaction(on, then.do);
    else if (then.do === 'currency') await this.#changeCurrency();
    else if (then.do === 'forget') await this.#forget(on);
    else if (isJudgement(then)) await this.#review(on, then);
  }

  async #changeCurrency(): Promise<void> {
    this.#currency = this.#currency === 'USD' ? 'EUR' : 'USD';
    await this.t.admin
      .post('/settings/referral-config')
      .send({ referral_config: { currency: this.#currency }, confirm: true })
      .expect(200);
  }

  async #forget(on: number): Promise<void> {
    await this.t
      .send({ type: 'customer.erase', customer_ref: `b${on}`, email: `b${on}@buyer.test` })
      .expect(200);
  }

  async #transaction(pick: number, what: 'markPaid' | 'release'): Promise<void> {
    const rows: { id: number; payout_id: number }[] = await this.t.app
      .db('payout_transactions')
      .select('id', 'payout_id')
      .orderBy('id');
    const one = rows[pick % Math.max(1, rows.length)];
    if (!one) return;
    const path = `/payouts/${Number(one.payout_id)}/transactions/${Number(one.id)}`;
    await (what === 'release'
      ? this.t.admin.delete(path).expect(200)
      : this.t.admin.patch(path).send({ status: 'paid', confirm: true }).expect(200));
  }

  async #review(on: number, then: Judgement): Promise<void> {
    const order = this.orders[on]!;
    const row = (await this.#rows()).find(
      (each) => each.provider_id === refOf(on) && each.type !== 'adjustment',
    );
    if (!row || row.status === 'paid') return;
    if (then.do === 'delete') {
      const { status } = await this.t.admin.delete(`/referrals/${row.id}`);
      if (status === 200) order.deleted = true;
      return;
    }
    const now = owed(order);
    const at = this.t.clock.time;
    if (then.do === 'correct') {
      const amount = Math.ceil((order.total * then.share) / 500);
      await this.t.admin
        .patch(`/referrals/${row.id}`)
        .send({ amount: decimal(amount) })
        .expect(200);
      if (amount !== cents(row.amount)) order.facts.push({ do: 'correct', amount, left: now.left, at });
      return;
    }
    const status = { approve: 'unpaid', reject: 'rejected', hold: 'pending' }[then.do];
    await this.t.admin.patch(`/referrals/${row.id}`).send({ status }).expect(200);
    const verdict = order.facts.findLast((each) => ['approve', 'reject', 'hold'].includes(each.do))?.do;
    const isNews = status !== row.status || (then.do === 'reject' && verdict === 'approve');
    const clears = now.causes.filter((cause) => !cause.startsWith('open:'));
    if (isNews) order.facts.push({ do: then.do, clears, at });
  }

  async #rows(): Promise<Row[]> {
    const { body } = await this.t.admin.get('/referrals?per_page=200&order_by=id&order_type=ASC').expect(200);
    return body.referrals.data as Row[];
  }

  /** Everything booked for an order: its row unless it is rejected, and what was taken back. */
  #booked(on: number, rows: readonly Row[]): number | null {
    const row = rows.find((each) => each.provider_id === refOf(on) && each.type !== 'adjustment');
    if (!row) return null;
    const adjusted = rows
      .filter((each) => each.parent_id === row.id)
      .reduce((sum, each) => sum + cents(each.amount), 0);
    return (row.status === 'rejected' ? 0 : cents(row.amount)) + adjusted;
  }

  async #agree(): Promise<void> {
    expect(await this.t.service.verify()).toEqual([]);
    const rows = await this.#rows();
    for (const [on, order] of this.orders.entries()) {
      const row = rows.find((each) => each.provider_id === refOf(on) && each.type !== 'adjustment');
      if (order.deleted) {
        expect([refOf(on), row]).toEqual([refOf(on), undefined]);
        continue;
      }
      const due = owed(order);
      expect([refOf(on), this.#booked(on, rows)]).toEqual([
        refOf(on),
        due.status === 'rejected' ? 0 : due.amount,
      ]);
      if (row!.status !== 'paid') expect([refOf(on), row!.status]).toEqual([refOf(on), due.status]);
      const explained = await this.t.service.referrals.explain(row!.id);
      expect([refOf(on), cents(explained!.due.amount), explained!.due.status]).toEqual([
        refOf(on),
        due.amount,
        due.status,
      ]);
    }
  }
}

const tokens = new Map<CommerceShop, Promise<string>>();

it(`what is booked is what a naive model owes, over ${RUNS} histories in two orders of arrival`, async () => {
  const t = await startCommerce();
  await fc.assert(
    fc.asyncProperty(histories, async (steps) => {
      const results: unknown[] = [];
      for (const arrival of [0, 1] as const) {
        await emptyDatabase(t.app.db.knex, t.app.options.tablePrefix);
        await t.app.settings.saveReferralConfig({ currency: 'USD' });
        const affiliate = await t.records.affiliate({ user_id: 2, status: 'active' });
        Object.assign(t.affiliate, { id: affiliate.id });
        await t.admin
          .post('/settings/integration/update-status')
          .send({ integration: 'demo', is_enabled: 'yes' })
          .expect(200);
        t.clock.time = Date.UTC(2026, 0, 15, 15);
        tokens.set(t, t.token());
        results.push(await new Play(t, arrival).run(steps));
      }
      expect(results[1]).toEqual(results[0]);
    }),
    { numRuns: RUNS },
  );
}, 3_600_000);
