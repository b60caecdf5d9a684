import { expect, it, jest } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { testEngine } from '../support/databases.js';
import type { Wire } from '../support/records.js';
import { SEED, seeded } from '../support/seed.js';

// Every window that shows an affiliate's money gives the same sums, and they are those of a small model computed
// from the history. WINDOWS says how many random programs; each starts from its own seed.
const PROGRAMS = Number(process.env['WINDOWS'] ?? (testEngine() === 'sqlite' ? 5 : 2));
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

const DAYS = 'start_date=2026-01-01&end_date=2027-12-31';

/** What an administrator reads at one moment, and what the model expects of the program as a whole. */
interface Look {
  readonly program: Program;
  readonly get: (path: string) => Promise<Wire>;
  readonly all: Record<string, Sums>;
}

async function compare(program: Program): Promise<void> {
  const { t, people } = program;
  const look: Look = {
    program,
    get: async (path) => (await t.admin.get(path).expect(200)).body,
    all: program.expected(null),
  };
  await ofPreview(look);
  await ofReports(look);
  await ofExports(look);
  await ofOrders(look);
  const list = (await look.get('/affiliates?per_page=50')).affiliates.data as Wire[];
  expect(list).toHaveLength(people.size);
  for (const row of list) {
    await ofConsole(look, row);
    await ofPortal(look, row);
    await ofStatements(look, row);
  }
}

async function ofPreview({ program: { t }, get, all }: Look): Promise<void> {
  const config = { title: 'x', description: 'x' };
  const { body: preview } = await t.admin
    .post('/payouts/validate-payout-config')
    .send({ config })
    .expect(200);
  expect(shown(preview.balances)).toEqual(all);
  for (const [currency, { held, waiting, payable }] of Object.entries(all)) {
    const of = (reasons: (reason: string) => boolean): number =>
      round(
        preview.unpaid
          .filter((row: Wire) => row.currency === currency && reasons(row.reason))
          .reduce((sum: number, { amount }: Wire) => sum + amount, 0),
      );
    const now = of((reason) => reason !== 'held' && reason !== 'until');
    expect([of((reason) => reason === 'held'), of((reason) => reason === 'until'), now]).toEqual([
      held,
      waiting,
      payable,
    ]);
  }
  const { totals: runs } = await get('/payouts/totals');
  for (const [currency, { on_its_way: sent }] of Object.entries(all))
    expect(runs.find((row: Wire) => row.currency === currency)?.open_amount ?? 0).toBe(sent);
}

async function ofReports({ get, all }: Look): Promise<void> {
  expect(shown((await get('/reports/balances')).balances)).toEqual(all);
  expect(shown((await get('/affiliates/totals')).totals.balances)).toEqual(all);
  const dashboard = await get('/reports/dashboard-stats');
  const { report: own } = await get('/reports/commerce-reports/fla');
  for (const [currency, { payable, waiting, on_its_way: sent, paid }] of Object.entries(all)) {
    const isOwn = currency === 'USD';
    const card = (name: string): number =>
      isOwn ? dashboard.stats[name].amount : (dashboard.by_currency?.[currency]?.[name] ?? 0);
    const widget = (name: string): number =>
      isOwn ? own.widgets[name].value : (own.by_currency?.[currency]?.[name] ?? 0);
    const owed = round(payable + waiting);
    expect(['total_paid', 'total_unpaid'].map(card)).toEqual([paid, owed]);
    expect(['paid', 'unpaid', 'pending_payout'].map(widget)).toEqual([paid, owed, sent]);
  }
}

async function ofExports({ program: { t }, get, all }: Look): Promise<void> {
  const money = (row: Wire): { state: State; amount: number; currency: string } => ({
    state: row.state,
    amount: Number(row.state === 'canceled' ? row.would_have_been : row.counted_amount),
    currency: row.currency || 'USD',
  });
  const rows = (await get('/referrals?per_page=1000')).referrals.data as Wire[];
  expect(added(rows.map(money))).toEqual(all);
  const lost = rows.filter(({ state }) => state === 'canceled');
  expect(lost.every((row) => row.counted_amount === 0)).toBe(true);
  const csv = cells((await t.admin.get('/referrals/export').expect(200)).text);
  expect(added(csv.map(money))).toEqual(all);
  for (const state of STATES) {
    const found = (await get(`/referrals?per_page=1000&state=${state}`)).referrals.data as Wire[];
    expect(found.map(({ id }) => id)).toEqual(rows.filter((row) => row.state === state).map(({ id }) => id));
  }
}

/** Each order counts once, for each affiliate and for all. */
async function ofOrders({ program: { model, people }, get }: Look): Promise<void> {
  const counted = [...people.keys()].map((id) => [id, model.orders(id)] as const);
  const orders = counted.reduce((sum, [, count]) => sum + count, 0);
  expect((await get('/reports/dashboard-stats')).stats.total_referrals.amount).toBe(orders);
  const shops = (await get(`/reports/breakdown?by=shops&${DAYS}`)).rows as Wire[];
  expect(shops.reduce((sum, row) => sum + row.orders, 0)).toBe(orders);
  for (const { key, orders: ofShop } of shops.filter((row) => row.key === 'shop'))
    expect((await get(`/reports/commerce-reports/${key}`)).report.widgets.total_orders.value).toBe(ofShop);
}

async function ofConsole({ program, get }: Look, row: Wire): Promise<void> {
  const { id } = row;
  const expected = program.expected(id);
  const usd = expected['USD']!;
  const owed = round(usd.payable + usd.waiting);
  const { affiliate } = await get(`/affiliates/${id}`);
  for (const record of [affiliate, row]) {
    expect(shown(record.balances)).toEqual(expected);
    expect([record.total_earnings, record.unpaid_earnings, record.referrals]).toEqual([
      earnedIn(usd),
      owed,
      program.model.orders(id),
    ]);
  }
  for (const { currency, canceled_reasons: canceled } of affiliate.balances as Wire[]) {
    const reasons = Object.entries(program.model.reasons(id, currency));
    expect(canceled).toEqual(
      Object.fromEntries(reasons.map(([reason, sum]) => [reason, sum / DIGITS[currency as Currency]])),
    );
  }
  const { stats } = await get(`/affiliates/${id}/stats`);
  expect([stats.total_paid.amount, stats.total_unpaid.amount]).toEqual([usd.paid, owed]);
  const { text } = await program.t.admin.get('/affiliates/export').expect(200);
  const line = cells(text).find((each) => each['id'] === String(id));
  expect(Object.fromEntries(STATES.map((state) => [state, Number(line?.[state])]))).toEqual(usd);
  const part = (await get(`/reports/breakdown?by=affiliates&${DAYS}`)).rows.find(
    ({ key }: Wire) => key === String(id),
  );
  expect([part?.orders ?? 0, part?.earnings ?? 0]).toEqual([program.model.orders(id), earnedIn(usd)]);
}

const PORTAL_WORDS: Readonly<Record<string, State>> = {
  ready: 'payable',
  on_hold: 'waiting',
  in_review: 'held',
  on_its_way: 'on_its_way',
  paid: 'paid',
};

async function ofPortal({ program }: Look, { id }: Wire): Promise<void> {
  const { t, people, model } = program;
  const expected = program.expected(id);
  const usd = expected['USD']!;
  const own = async (path: string): Promise<Wire> => (await t.as(people.get(id)!).get(path).expect(200)).body;
  const { outlook, figures } = await own('/portal/overview?days=365');
  expect(shown(outlook.balances)).toEqual(expected);
  expect([outlook.ready, outlook.on_hold, outlook.on_its_way, outlook.paid]).toEqual([
    usd.payable,
    usd.waiting,
    usd.on_its_way,
    usd.paid,
  ]);
  const { stats } = await own('/portal/stats');
  expect([stats.total_paid.amount, stats.total_unpaid.amount]).toEqual([
    usd.paid,
    round(usd.payable + usd.waiting),
  ]);
  expect([figures.now.orders, stats.total_referrals.amount]).toEqual([model.orders(id), model.orders(id)]);
  for (const [word, state] of Object.entries(PORTAL_WORDS))
    for (const { currency, amount } of (await own(`/portal/earnings?state=${word}`)).totals)
      expect([word, currency, amount]).toEqual([word, currency, expected[currency]?.[state] ?? 0]);
  for (const { currency, amount, would_have_been: would } of (await own('/portal/earnings?state=canceled'))
    .totals)
    expect([amount, would]).toEqual([0, expected[currency]?.canceled]);
}

async function ofStatements({ program, get }: Look, { id }: Wire): Promise<void> {
  const { t, people } = program;
  const expected = program.expected(id);
  for (const [currency, sums] of Object.entries(expected)) {
    const { statement, balance } = await get(`/affiliates/${id}/statement?per_page=100&currency=${currency}`);
    const lines = statement.data as Wire[];
    const sumOf = (rows: readonly Wire[]): number => round(rows.reduce((sum, each) => sum + each.amount, 0));
    expect([balance.closing, sumOf(lines)]).toEqual([
      round(sums.payable + sums.waiting),
      round(sums.payable + sums.waiting),
    ]);
    expect(shown(balance.balances)).toEqual(expected);
    expect(lines.filter(({ kind }) => kind === 'merged')).toEqual([]);
    expect(sumOf(lines.filter(({ kind }) => kind === 'paid'))).toBe(
      round(-round(sums.on_its_way + sums.paid)),
    );
    const file = await t.as(people.get(id)!).get(`/portal/statement/export?currency=${currency}`).expect(200);
    expect(sumOf(cells(file.text).map((each) => ({ amount: Number(each['amount']) })))).toBe(balance.closing);
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
