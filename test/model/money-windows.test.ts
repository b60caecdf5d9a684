import { expect, it, jest } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { testEngine } from '../support/databases.js';
import type { Wire } from '../support/records.js';
import { SEED, seeded } from '../support/seed.js';

// Every window that shows an affiliate's money gives the same sums, and they are those of a small model computed
// from the history. WINDOWS says how many random programs; each starts from its own seed.
const PROGRAMS = Number(process.env['WINDOWS'] ?? (testEngine() === 'sqlite' ? 8 : 3));
const STEPS = 60;
const LOOK_EVERY = 15;
const DAY = 86_400_000;
const USERS = [2, 3, 4, 5] as const;
const CURRENCIES = ['USD', 'EUR', 'JPY'] as const;
type Currency = (typeof CURRENCIES)[number];
const DIGITS: Readonly<Record<Currency, number>> = { USD: 100, EUR: 100, JPY: 1 };
const STATES = ['payable', 'waiting', 'held', 'on_its_way', 'paid', 'canceled'] as const;
type State = (typeof STATES)[number];
type Sums = Record<State, number>;

jest.setTimeout(PROGRAMS * 60_000);

interface Part {
  amount: number;
  claim: 'none' | 'open' | 'paid';
  transaction: number | null;
}

interface Commission extends Part {
  readonly id: number;
  affiliate: number;
  readonly currency: Currency;
  /** Order value in minor units; null for one entered by hand, and 0 for a correction of the balance. */
  readonly total: number | null;
  readonly reference: string;
  refunded: number;
  isPaid: boolean;
  rejected: boolean;
  readonly until: number;
  readonly kind: 'order' | 'hand' | 'correction';
  /** Entered as rejected, so that nobody rejected it for a reason. */
  readonly born?: 'rejected';
  /** What was taken back after it went into a payout. */
  adjustments: Part[];
}

const noSums = (): Sums => ({ payable: 0, waiting: 0, held: 0, on_its_way: 0, paid: 0, canceled: 0 });
const dueOf = ({ kind, total, refunded, amount }: Commission): number =>
  kind === 'order' ? (total! - refunded) / 5 : amount;

/** What became of each commission, and where its money is therefore. */
class Model {
  readonly commissions: Commission[] = [];

  sums(now: number, affiliate: number | null, currency: Currency): Sums {
    const sums = noSums();
    for (const each of this.commissions) {
      if (each.currency !== currency || (affiliate !== null && each.affiliate !== affiliate)) continue;
      for (const [state, amount] of this.#parts(each, now)) sums[state] += amount;
    }
    return sums;
  }

  reasons(affiliate: number, currency: Currency): Record<string, number> {
    const reasons: Record<string, number> = {};
    for (const each of this.commissions) {
      if (each.affiliate !== affiliate || each.currency !== currency || !isCanceled(each)) continue;
      const reason = each.born === 'rejected' ? 'none' : each.rejected ? 'manual' : 'refunded';
      reasons[reason] = (reasons[reason] ?? 0) + wouldHaveBeen(each);
    }
    return reasons;
  }

  orders(affiliate: number): number {
    return this.commissions.filter((each) => each.affiliate === affiliate && each.kind !== 'correction')
      .length;
  }

  #parts(each: Commission, now: number): (readonly [State, number])[] {
    const parts = each.adjustments.map((part) => [stateOf(part.claim), part.amount] as const);
    if (each.claim !== 'none') return [[stateOf(each.claim), each.amount], ...parts];
    if (isCanceled(each)) return [['canceled', wouldHaveBeen(each)], ...parts];
    if (!each.isPaid) return [['held', dueOf(each)], ...parts];
    return [[each.until > now ? 'waiting' : 'payable', dueOf(each)], ...parts];
  }

  /** The rows a payout in this currency takes: of affiliates to whom something is owed. */
  pay(currency: Currency, now: number): Map<number, Part[]> {
    const rows = new Map<number, Part[]>();
    for (const each of this.commissions.filter((one) => one.currency === currency)) {
      const own = rows.get(each.affiliate) ?? [];
      rows.set(each.affiliate, own);
      if (each.claim === 'none' && !isCanceled(each) && each.isPaid && each.until <= now) {
        each.amount = dueOf(each);
        own.push(each);
      }
      own.push(...each.adjustments.filter(({ claim }) => claim === 'none'));
    }
    for (const [affiliate, parts] of rows)
      if (parts.reduce((sum, { amount }) => sum + amount, 0) <= 0) rows.delete(affiliate);
    return rows;
  }

  refund(each: Commission, total: number): void {
    each.refunded = Math.max(each.refunded, total);
    if (each.claim === 'none') return;
    const taken = each.adjustments.filter(({ claim }) => claim !== 'none');
    const missing = dueOf(each) - each.amount - taken.reduce((sum, { amount }) => sum + amount, 0);
    each.adjustments = [
      ...taken,
      ...(missing === 0 ? [] : [{ amount: missing, claim: 'none', transaction: null } as const]),
    ];
  }
}

const stateOf = (claim: Part['claim']): State =>
  claim === 'none' ? 'payable' : claim === 'open' ? 'on_its_way' : 'paid';
const isCanceled = (each: Commission): boolean =>
  each.claim === 'none' && (each.rejected || (each.kind === 'order' && each.refunded === each.total));
const wouldHaveBeen = (each: Commission): number =>
  dueOf(each) === 0 && each.kind === 'order' ? each.total! / 5 : dueOf(each);

class Program {
  readonly model = new Model();
  readonly people = new Map<number, number>(); // affiliate → user
  readonly script: string[] = [];
  #orders = 0;

  constructor(
    readonly t: TestApp,
    readonly random: () => number,
  ) {}

  pick<T>(of: readonly T[]): T {
    return of[Math.floor(this.random() * of.length)]!;
  }

  async start(): Promise<void> {
    for (const user of USERS) this.people.set((await this.t.records.affiliate({ user_id: user })).id, user);
  }

  async step(): Promise<void> {
    const deeds = [
      ...Array.from({ length: 5 }, () => 'order' as const),
      ...Array.from({ length: 4 }, () => 'refund' as const),
      ...(['hand', 'hand', 'pay', 'pay', 'confirm', 'confirm', 'complete', 'reject', 'correct'] as const),
      ...(['wait', 'hold', 'merge'] as const),
    ];
    const deed = this.pick(deeds);
    this.script.push(deed);
    await this[deed]();
  }

  async order(): Promise<void> {
    const currency = this.pick(CURRENCIES);
    const total = (1 + Math.floor(this.random() * 40)) * 500;
    const isPaid = this.random() < 0.75;
    const reference = `O-${(this.#orders += 1)}`;
    const affiliate = this.pick([...this.people.keys()]);
    const { referral } = await this.t.service.conversions.record(null, {
      provider: 'shop',
      reference,
      status: isPaid ? 'unpaid' : 'pending',
      type: 'sale',
      affiliate,
      order: { subtotal: String(total / DIGITS[currency]), currency },
    });
    this.#add({
      id: referral!.id,
      affiliate,
      currency,
      total,
      reference,
      isPaid,
      kind: 'order',
      amount: total / 5,
    });
  }

  async hand(): Promise<void> {
    const affiliate = this.pick([...this.people.keys()]);
    const status = this.pick(['unpaid', 'unpaid', 'pending', 'rejected']);
    const amount = 1 + Math.floor(this.random() * 5000);
    const { id } = await this.t.records.referral({ affiliate_id: affiliate, status, amount: amount / 100 });
    this.#add({
      id,
      affiliate,
      currency: 'USD',
      total: null,
      reference: '',
      isPaid: status === 'unpaid',
      ...(status === 'rejected' && { rejected: true, born: status }),
      kind: 'hand',
      amount,
    });
  }

  async correct(): Promise<void> {
    const affiliate = this.pick([...this.people.keys()]);
    const currency = this.pick(CURRENCIES);
    const amount = (Math.floor(this.random() * 2000) + 1) * (this.random() < 0.5 ? -1 : 1);
    const { body } = await this.t.admin
      .post(`/affiliates/${affiliate}/balance-corrections`)
      .send({ amount: String(amount / DIGITS[currency]), currency, reason: 'agreed' })
      .expect(200);
    this.#add({
      id: body.referral.id,
      affiliate,
      currency,
      total: 0,
      reference: '',
      isPaid: true,
      kind: 'correction',
      amount,
      until: 0,
    });
  }

  async complete(): Promise<void> {
    const open = this.model.commissions.filter(({ kind, isPaid }) => kind === 'order' && !isPaid);
    if (open.length === 0) return;
    const each = this.pick(open);
    await this.t.service.conversions.complete('shop', each.reference);
    each.isPaid = true;
  }

  async refund(): Promise<void> {
    const orders = this.model.commissions.filter(({ kind }) => kind === 'order');
    if (orders.length === 0) return;
    const each = this.pick(orders);
    const fifths = Math.floor(this.random() * 4);
    const total = fifths === 0 ? each.total! : (each.total! / 500) * 100 * fifths;
    await this.t.service.conversions.refund('shop', each.reference, {
      refunded_total: String(total / DIGITS[each.currency]),
    });
    this.model.refund(each, total);
  }

  async reject(): Promise<void> {
    const open = this.model.commissions.filter(
      (each) => each.kind !== 'correction' && each.claim === 'none' && !isCanceled(each),
    );
    if (open.length === 0) return;
    const each = this.pick(open);
    await this.t.admin.patch(`/referrals/${each.id}`).send({ status: 'rejected' }).expect(200);
    each.rejected = true;
  }

  async pay(): Promise<void> {
    const currency = this.pick(CURRENCIES);
    const rows = this.model.pay(currency, this.t.clock.time);
    const { status, body } = await this.t.admin
      .post('/payouts/process-payout')
      .send({ config: { title: 'Run', description: 'Run', currency } });
    expect([this.script.length, status]).toEqual([this.script.length, rows.size === 0 ? 422 : 200]);
    if (rows.size === 0) return;
    const { body: list } = await this.t.admin
      .get(`/payouts/${body.payout.id}/transactions?per_page=50`)
      .expect(200);
    for (const { id, affiliate_id: affiliate } of list.transactions.data)
      for (const part of rows.get(affiliate)!) Object.assign(part, { claim: 'open', transaction: id });
  }

  async confirm(): Promise<void> {
    const { body } = await this.t.admin.get('/payouts?status=processing&per_page=50').expect(200);
    if (body.payouts.data.length === 0) return;
    const payout = this.pick<Wire>(body.payouts.data);
    const { body: list } = await this.t.admin
      .get(`/payouts/${payout.id}/transactions?per_page=50`)
      .expect(200);
    const open = list.transactions.data.filter(({ status }: Wire) => status === 'processing');
    const { id } = this.pick<Wire>(open);
    await this.t.admin
      .patch(`/payouts/${payout.id}/transactions/${id}`)
      .send({ status: 'paid', confirm: true })
      .expect(200);
    for (const part of this.model.commissions.flatMap((each) => [each, ...each.adjustments]))
      if (part.transaction === id) part.claim = 'paid';
  }

  async merge(): Promise<void> {
    if (this.people.size < 3 || this.random() < 0.5) return;
    const [into, from] = [...this.people.keys()].toSorted(() => this.random() - 0.5);
    const { status } = await this.t.admin.post(`/affiliates/${into}/merge`).send({ other_id: from });
    if (status === 422) return; // a payment to one of them is open
    expect(status).toBe(200);
    this.people.delete(from!);
    for (const each of this.model.commissions) if (each.affiliate === from) each.affiliate = into!;
    // two payments of one payout became one
    const { body } = await this.t.admin.get(`/affiliates/${into}/transactions?per_page=50`).expect(200);
    expect(body.transactions.data.every(({ status: state }: Wire) => state === 'paid')).toBe(true);
  }

  async wait(): Promise<void> {
    this.t.clock.advance(2 * DAY);
  }

  async hold(): Promise<void> {
    this.#holdDays = this.pick([0, 0, 3, 7]);
    await this.t.app.settings.saveReferralConfig({ hold_days: this.#holdDays });
  }

  #holdDays = 0;

  #add(
    given: Omit<Commission, 'claim' | 'transaction' | 'adjustments' | 'refunded' | 'rejected' | 'until'> & {
      rejected?: boolean;
      until?: number;
    },
  ): void {
    this.model.commissions.push({
      rejected: false,
      until: this.#holdDays > 0 ? this.t.clock.time + this.#holdDays * DAY : 0,
      ...given,
      claim: 'none',
      transaction: null,
      adjustments: [],
      refunded: 0,
    });
  }

  /** What the model expects of one affiliate, or of all, as `balances` shows it. */
  expected(affiliate: number | null): Record<string, Sums> {
    const found = CURRENCIES.map((currency) => {
      const sums = this.model.sums(this.t.clock.time, affiliate, currency);
      return [currency, scaled(sums, (amount) => amount / DIGITS[currency])] as const;
    });
    return Object.fromEntries(
      found.filter(([code, sums]) => code === 'USD' || STATES.some((state) => sums[state] !== 0)),
    );
  }
}

const scaled = (sums: Sums, by: (amount: number) => number): Sums =>
  Object.fromEntries(STATES.map((state) => [state, by(sums[state])])) as Sums;

/** `balances` of an answer in the form of the model. */
const shown = (balances: readonly Wire[]): Record<string, Sums> =>
  Object.fromEntries(
    balances.map((each) => [
      each.currency,
      Object.fromEntries(STATES.map((state) => [state, each[state]])) as Sums,
    ]),
  );

/** Rows with `state`, `amount` and `currency`, added up. */
function added(rows: readonly { state: State; amount: number; currency: string }[]): Record<string, Sums> {
  const found: Record<string, Sums> = { USD: noSums() };
  for (const { state, amount, currency } of rows) {
    const digits = DIGITS[currency as Currency];
    (found[currency] ??= noSums())[state] += Math.round(amount * digits);
  }
  return Object.fromEntries(
    Object.entries(found)
      .map(([code, sums]) => [code, scaled(sums, (amount) => amount / DIGITS[code as Currency])] as const)
      .filter(([code, sums]) => code === 'USD' || STATES.some((state) => sums[state] !== 0)),
  );
}

/** Lines of CSV without commas inside cells, as objects. */
function cells(text: string): Record<string, string>[] {
  const [head = '', ...lines] = text.trim().split('\n');
  const names = head.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, at) => [names[at]!, cell])));
}

/** Two decimals, and 0 for -0. */
const round = (amount: number): number => Math.round(amount * 100) / 100 + 0;
const earnedIn = ({ payable, waiting, on_its_way, paid }: Sums): number =>
  round(payable + waiting + on_its_way + paid);

async function compare(program: Program): Promise<void> {
  const { t, people } = program;
  const get = async (path: string): Promise<Wire> => (await t.admin.get(path).expect(200)).body;
  const all = program.expected(null);

  // the program as a whole
  expect(shown((await get('/reports/balances')).balances)).toEqual(all);
  expect(shown((await get('/affiliates/totals')).totals.balances)).toEqual(all);
  const preview = (
    await t.admin.post('/payouts/validate-payout-config').send({ config: { title: 'x', description: 'x' } })
  ).body;
  expect(shown(preview.balances)).toEqual(all);
  for (const currency of Object.keys(all)) {
    const of = (reasons: (reason: string) => boolean): number =>
      round(
        preview.unpaid
          .filter((row: Wire) => row.currency === currency && reasons(row.reason))
          .reduce((sum: number, { amount }: Wire) => sum + amount, 0),
      );
    const { held, waiting, payable } = all[currency]!;
    expect([
      of((r) => r === 'held'),
      of((r) => r === 'until'),
      of((r) => r !== 'held' && r !== 'until'),
    ]).toEqual([held, waiting, payable]);
  }
  const dashboard = await get('/reports/dashboard-stats');
  const { report: own } = await get('/reports/commerce-reports/fla');
  for (const [currency, { payable, waiting, on_its_way: sent, paid }] of Object.entries(all)) {
    const isOwn = currency === 'USD';
    const card = (name: string): number =>
      isOwn ? dashboard.stats[name].amount : (dashboard.by_currency?.[currency]?.[name] ?? 0);
    const widget = (name: string): number =>
      isOwn ? own.widgets[name].value : (own.by_currency?.[currency]?.[name] ?? 0);
    expect([card('total_paid'), card('total_unpaid')]).toEqual([paid, round(payable + waiting)]);
    expect(['paid', 'unpaid', 'pending_payout'].map(widget)).toEqual([paid, round(payable + waiting), sent]);
  }
  const { totals: runs } = await get('/payouts/totals');
  for (const [currency, { on_its_way: sent }] of Object.entries(all))
    expect(runs.find((row: Wire) => row.currency === currency)?.open_amount ?? 0).toBe(sent);

  // exports, and the rows of the list
  const referrals = (await get('/referrals?per_page=1000')).referrals.data as Wire[];
  const money = (row: Wire): { state: State; amount: number; currency: string } => ({
    state: row.state,
    amount: Number(row.state === 'canceled' ? row.would_have_been : row.counted_amount),
    currency: row.currency || 'USD',
  });
  expect(added(referrals.map(money))).toEqual(all);
  expect(referrals.filter(({ state }) => state === 'canceled').every((row) => row.counted_amount === 0)).toBe(
    true,
  );
  const csv = cells((await t.admin.get('/referrals/export').expect(200)).text);
  expect(added(csv.map(money))).toEqual(all);
  const people_csv = cells((await t.admin.get('/affiliates/export').expect(200)).text);

  // orders, each once
  const days = 'start_date=2026-01-01&end_date=2027-12-31';
  const breakdown = (await get(`/reports/breakdown?by=affiliates&${days}`)).rows as Wire[];
  const counted = [...people.keys()].map((id) => program.model.orders(id));
  const orders = counted.reduce((sum, each) => sum + each, 0);
  expect(dashboard.stats.total_referrals.amount).toBe(orders);
  const shops = (await get(`/reports/breakdown?by=shops&${days}`)).rows as Wire[];
  expect(shops.reduce((sum, row) => sum + row.orders, 0)).toBe(orders);
  const shop = shops.find(({ key }) => key === 'shop');
  if (shop !== undefined)
    expect((await get('/reports/commerce-reports/shop')).report.widgets.total_orders.value).toBe(shop.orders);

  // one affiliate after the other
  const list = (await get('/affiliates?per_page=50')).affiliates.data as Wire[];
  expect(list).toHaveLength(people.size);
  for (const [id, user] of people) {
    const expected = program.expected(id);
    const usd = expected['USD']!;
    const { affiliate } = await get(`/affiliates/${id}`);
    const row = list.find((each) => each.id === id);
    const { outlook, figures } = (await t.as(user).get('/portal/overview?days=365').expect(200)).body;
    const { stats: cards } = await get(`/affiliates/${id}/stats`);
    const { stats: portal } = (await t.as(user).get('/portal/stats').expect(200)).body;
    const line = people_csv.find((each) => each['id'] === String(id));

    expect(shown(affiliate.balances)).toEqual(expected);
    expect(shown(row.balances)).toEqual(expected);
    expect(shown(outlook.balances)).toEqual(expected);
    for (const currency of Object.keys(expected) as Currency[]) {
      const told = affiliate.balances.find((each: Wire) => each.currency === currency);
      const reasons = program.model.reasons(id, currency);
      expect(told.canceled_reasons).toEqual(
        Object.fromEntries(Object.entries(reasons).map(([reason, sum]) => [reason, sum / DIGITS[currency]])),
      );
    }
    expect([outlook.ready, outlook.on_hold, outlook.on_its_way, outlook.paid]).toEqual([
      usd.payable,
      usd.waiting,
      usd.on_its_way,
      usd.paid,
    ]);
    expect(Object.fromEntries(STATES.map((state) => [state, Number(line?.[state])]))).toEqual(usd);
    for (const stats of [cards, portal])
      expect([stats.total_paid.amount, stats.total_unpaid.amount, stats.total_referrals.amount]).toEqual([
        usd.paid,
        round(usd.payable + usd.waiting),
        program.model.orders(id),
      ]);
    for (const record of [affiliate, row])
      expect([record.total_earnings, record.unpaid_earnings, record.referrals]).toEqual([
        earnedIn(usd),
        round(usd.payable + usd.waiting),
        program.model.orders(id),
      ]);
    expect(figures.now.orders).toBe(program.model.orders(id));
    const part = breakdown.find(({ key }) => key === String(id));
    expect([part?.orders ?? 0, part?.earnings ?? 0]).toEqual([program.model.orders(id), earnedIn(usd)]);

    for (const [currency, sums] of Object.entries(expected)) {
      const statement = await get(`/affiliates/${id}/statement?per_page=100&currency=${currency}`);
      const lines = statement.statement.data as Wire[];
      expect([currency, statement.balance.closing]).toEqual([currency, round(sums.payable + sums.waiting)]);
      expect(round(lines.reduce((sum, each) => sum + each.amount, 0))).toBe(statement.balance.closing);
      expect(lines.every(({ kind }) => kind !== 'merged')).toBe(true);
      expect(shown(statement.balance.balances)).toEqual(expected);
      const paidLines = lines.filter(({ kind }) => kind === 'paid');
      expect(round(paidLines.reduce((sum, each) => sum - each.amount, 0))).toBe(
        round(sums.on_its_way + sums.paid),
      );
      const file = await t.as(user).get(`/portal/statement/export?currency=${currency}`).expect(200);
      expect(round(cells(file.text).reduce((sum, each) => sum + Number(each['amount']), 0))).toBe(
        statement.balance.closing,
      );
    }
    const words = {
      ready: 'payable',
      on_hold: 'waiting',
      in_review: 'held',
      on_its_way: 'on_its_way',
      paid: 'paid',
    };
    for (const [word, state] of Object.entries(words) as [string, State][])
      for (const { currency, amount } of (await t.as(user).get(`/portal/earnings?state=${word}`).expect(200))
        .body.totals)
        expect([word, currency, amount]).toEqual([word, currency, expected[currency]?.[state] ?? 0]);
    const lost = (await t.as(user).get('/portal/earnings?state=rejected').expect(200)).body;
    for (const { currency, amount, would_have_been: would } of lost.totals)
      expect([amount, would]).toEqual([0, expected[currency]?.canceled]);
  }
}

it.each(Array.from({ length: PROGRAMS }, (_, at) => SEED * 1000 + at))(
  'gives the same sums in every window (program %i)',
  async (seed) => {
    const t = await startApp({ rate: 20 });
    const program = new Program(t, seeded(seed));
    await program.start();
    for (let step = 1; step <= STEPS; step += 1) {
      await program.step();
      if (step % LOOK_EVERY === 0) await compare(program);
    }
    expect(program.model.commissions.length).toBeGreaterThan(10);
  },
);
