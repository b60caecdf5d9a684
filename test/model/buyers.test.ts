import { expect, it, jest } from '@jest/globals';
import { fc } from '../support/random.js';
import { startApp, type TestApp } from '../support/app.js';
import { emptyDatabase, testEngine } from '../support/databases.js';

// Orders of a few people who use several addresses, accounts, ids of a shop and cards, against a model of
// docs/tracking.md §7 and docs/money.md, "Customers": who is the buyer, and which affiliate is credited for an order
// without a link. HISTORIES says how many, STEPS how long; a failure prints its shortest script.
const RUNS = Number(process.env['HISTORIES'] ?? (testEngine() === 'sqlite' ? 30 : 8));
const STEPS = Number(process.env['STEPS'] ?? 25);

jest.setTimeout(60_000 + RUNS * 30_000);

/** In the order of the table: a new buyer whose first order is not paid is known by the first of them only. */
const NAMES = [
  'email a',
  'email b',
  'email c',
  'user 7',
  'user 8',
  'ref x',
  'ref y',
  'card 1',
  'card 2',
] as const;
type Name = (typeof NAMES)[number];
type Affiliate = 'alice' | 'bob';

const names = fc
  .tuple(
    fc.option(fc.constantFrom('email a', 'email b', 'email c')),
    fc.option(fc.constantFrom('user 7', 'user 8')),
    fc.option(fc.constantFrom('ref x', 'ref y')),
    fc.option(fc.constantFrom('card 1', 'card 2')),
  )
  .map((drawn) => drawn.filter((name): name is Name => name !== null))
  .filter((drawn) => drawn.length > 0);
const on = fc.nat(50);
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('order' as const),
      names,
      affiliate: fc.constantFrom<Affiliate | null>('alice', 'bob', null, null),
      isPaid: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pay' as const), on }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('join' as const), on, into: on }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), on }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('merge' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Buyer {
  readonly number: number;
  readonly names: Set<Name>;
  affiliate: Affiliate | null;
  boundAt: number;
  /** Since when it is known that this buyer came without an affiliate. */
  ownSince: number | null;
}
interface Order {
  readonly at: number;
  readonly affiliate: Affiliate;
  buyer: Buyer | null;
  /** Names that count once it is paid. */
  waiting: readonly Name[];
  isPaid: boolean;
}

/** Who is who, by what was reported; `at` counts the steps. */
class Model {
  buyers: Buyer[] = [];
  readonly orders: Order[] = [];
  isMerged = false;
  #count = 0;

  /** Returns the affiliate who is credited. */
  order(at: number, given: Extract<Step, { do: 'order' }>): Affiliate | null {
    const known = this.#holder(given.names);
    const named = this.isMerged && given.affiliate === 'bob' ? 'alice' : given.affiliate;
    const affiliate = named ?? known?.affiliate ?? null;
    if (affiliate === null) {
      if (given.isPaid && known !== null) this.#buyAlone(at, known, given.names);
      return null;
    }
    const buyer = known ?? this.#begin(given);
    const waiting = given.names.filter((name) => !buyer?.names.has(name));
    const order: Order = { at, affiliate, buyer, waiting, isPaid: false };
    this.orders.push(order);
    if (given.isPaid) this.pay(order);
    return affiliate;
  }

  #buyAlone(at: number, buyer: Buyer, given: readonly Name[]): void {
    this.#learn(buyer, given);
    buyer.ownSince ??= at;
  }

  pay(order: Order): void {
    const { buyer, waiting, affiliate, at } = order;
    order.isPaid = true;
    order.waiting = [];
    if (buyer === null) return;
    this.#learn(buyer, waiting);
    if (buyer.affiliate !== null || (buyer.ownSince !== null && buyer.ownSince >= at)) return;
    buyer.affiliate = affiliate;
    buyer.boundAt = at;
  }

  join(from: Buyer, into: Buyer): void {
    const isEarlier = into.affiliate === null || from.boundAt < into.boundAt;
    if (from.affiliate !== null && isEarlier)
      Object.assign(into, { affiliate: from.affiliate, boundAt: from.boundAt });
    const own = [from.ownSince, into.ownSince].filter((at) => at !== null);
    into.ownSince = own.length === 0 ? null : Math.min(...own);
    for (const name of from.names) into.names.add(name);
    for (const order of this.orders) if (order.buyer === from) order.buyer = into;
    this.buyers = this.buyers.filter((each) => each !== from);
  }

  forget(buyer: Buyer): void {
    buyer.names.clear();
    for (const order of this.orders) if (order.buyer === buyer) order.waiting = [];
  }

  merge(): void {
    this.isMerged = true;
    for (const buyer of this.buyers) if (buyer.affiliate === 'bob') buyer.affiliate = 'alice';
    for (const order of this.orders)
      if (order.affiliate === 'bob') Object.assign(order, { affiliate: 'alice' });
  }

  /** Of two, the one who was bound first, else the older one. */
  #holder(given: readonly Name[]): Buyer | null {
    const holders = this.buyers.filter((buyer) => given.some((name) => buyer.names.has(name)));
    const boundAt = (buyer: Buyer): number => (buyer.affiliate === null ? Infinity : buyer.boundAt);
    const [first = null] = holders.toSorted((a, b) =>
      boundAt(a) === boundAt(b) ? a.number - b.number : boundAt(a) - boundAt(b),
    );
    return first;
  }

  /** Nobody is known by a card alone. */
  #begin({ names: given, isPaid }: Extract<Step, { do: 'order' }>): Buyer | null {
    const [first] = given;
    if (first === undefined || first.startsWith('card')) return null;
    const number = (this.#count += 1);
    const own = new Set<Name>(isPaid ? given : [first]);
    const buyer: Buyer = { number, names: own, affiliate: null, boundAt: 0, ownSince: null };
    this.buyers.push(buyer);
    return buyer;
  }

  /** What another buyer has stays the other's. */
  #learn(buyer: Buyer, given: readonly Name[]): void {
    for (const name of given) if (!this.buyers.some((each) => each.names.has(name))) buyer.names.add(name);
  }
}

class Play {
  readonly script: string[] = [];
  readonly #model = new Model();
  /** The ids in the service, by the number in the model. */
  readonly #ids = new Map<number, number>();
  readonly #people: Readonly<Record<Affiliate, number>>;

  constructor(
    private readonly t: TestApp,
    [alice, bob]: readonly [number, number],
  ) {
    this.#people = { alice, bob };
  }

  async take(at: number, taken: Step): Promise<void> {
    this.t.clock.advance(1000);
    switch (taken.do) {
      case 'order':
        await this.#order(at, taken);
        break;
      case 'pay':
        await this.#pay(taken.on);
        break;
      case 'join':
        await this.#join(taken.on, taken.into);
        break;
      case 'forget':
        await this.#forget(taken.on);
        break;
      default:
        await this.#merge();
    }
    await this.#agree();
  }

  async #order(at: number, taken: Extract<Step, { do: 'order' }>): Promise<void> {
    this.script.push(`O${at} ${taken.names.join(', ')} by ${taken.affiliate}${taken.isPaid ? ', paid' : ''}`);
    const { referral } = await this.t.service.conversions.record(null, {
      provider: 'shop',
      reference: `O${at}`,
      status: taken.isPaid ? 'unpaid' : 'pending',
      affiliate: taken.affiliate && this.#people[taken.affiliate],
      customer: buyerOf(taken.names),
      order: { subtotal: '50.00' },
    });
    const credited = this.#model.order(at, taken);
    expect(referral?.affiliate_id ?? null).toBe(credited && this.#people[credited]);
  }

  async #pay(which: number): Promise<void> {
    const open = this.#model.orders.filter(({ isPaid }) => !isPaid);
    const order = open[which % open.length];
    if (order === undefined) return;
    this.script.push(`pay O${order.at}`);
    await this.t.service.conversions.complete('shop', `O${order.at}`);
    this.#model.pay(order);
  }

  async #join(which: number, other: number): Promise<void> {
    const { buyers } = this.#model;
    const [from, into] = [buyers[which % buyers.length], buyers[other % buyers.length]];
    if (from === undefined || into === undefined || from === into) return;
    const [id, kept] = [this.#ids.get(from.number)!, this.#ids.get(into.number)!];
    this.script.push(`customer ${id} is ${kept}`);
    await this.t.service.customers.merge(id, kept);
    this.#model.join(from, into);
  }

  async #forget(which: number): Promise<void> {
    const { buyers } = this.#model;
    const buyer = buyers[which % buyers.length];
    if (buyer === undefined) return;
    const id = this.#ids.get(buyer.number)!;
    this.script.push(`forget customer ${id}`);
    await this.t.service.customers.forget(id);
    this.#model.forget(buyer);
  }

  async #merge(): Promise<void> {
    if (this.#model.isMerged) return;
    this.script.push('bob becomes alice');
    const { alice, bob } = this.#people;
    await this.t.admin.post(`/affiliates/${alice}/merge`).send({ other_id: bob }).expect(200);
    this.#model.merge();
  }

  /** The customers, their affiliates and the names that find them. */
  async #agree(): Promise<void> {
    const rows = (await this.t.app.db('customers').select('id', 'by_affiliate_id').orderBy('id')) as {
      readonly id: number | string;
      readonly by_affiliate_id: number | string | null;
    }[];
    const held = (await this.t.app.db('customer_names').select('customer_id', 'kind', 'name', 'label')) as {
      readonly customer_id: number | string;
      readonly kind: string;
      readonly name: string;
      readonly label: string | null;
    }[];
    const known = new Set(this.#ids.values());
    const fresh = rows.map(({ id }) => Number(id)).filter((id) => !known.has(id));
    for (const { number } of this.#model.buyers)
      if (!this.#ids.has(number)) this.#ids.set(number, fresh.shift() ?? 0);
    const stored = rows.map(({ id, by_affiliate_id: by }) => [
      Number(id),
      by === null ? null : Number(by),
      ...held
        .filter((name) => Number(name.customer_id) === Number(id))
        .map(shownName)
        .toSorted(),
    ]);
    const expected = this.#model.buyers.map((buyer) => [
      this.#ids.get(buyer.number),
      buyer.affiliate && this.#people[buyer.affiliate],
      ...[...buyer.names].map((name) => (name.startsWith('card') ? 'card' : name)).toSorted(),
    ]);
    expect(stored).toEqual(expected);
  }
}

/** Only a hash of a card is stored. */
const shownName = ({ kind, name, label }: { kind: string; name: string; label: string | null }): string => {
  if (kind === 'email') return `email ${(label ?? '').split('@')[0]!}`;
  if (kind === 'user') return `user ${name}`;
  return kind === 'card' ? 'card' : `ref ${(label ?? '').split(' ')[1]!}`;
};

function buyerOf(given: readonly Name[]) {
  const of = (kind: string): string | undefined =>
    given.find((name) => name.startsWith(`${kind} `))?.slice(kind.length + 1);
  const [email, user, ref, card] = [of('email'), of('user'), of('ref'), of('card')];
  return {
    ...(email && { email: `${email}@buyer.test` }),
    ...(user && { user_id: Number(user) }),
    ...(ref && { ref }),
    ...(card && { payment_fingerprint: card }),
  };
}

it(`the same buyer is known by every name in ${RUNS} histories`, async () => {
  const t = await startApp({ rate: 10, fraud: { sameOrder: 'off' } });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: STEPS, size: 'max' }), async (steps) => {
      await emptyDatabase(t.app.db.knex, t.app.options.tablePrefix);
      await t.service.settings.saveReferralConfig({ enable_lifetime_commission: 'yes', lifetime_rate: 10 });
      const alice = await t.records.affiliate({ user_id: 2 });
      const bob = await t.records.affiliate({ user_id: 3 });
      const played = new Play(t, [Number(alice.id), Number(bob.id)]);
      try {
        for (const [at, taken] of steps.entries()) await played.take(at, taken);
        expect(await t.service.verify()).toEqual([]);
      } catch (error) {
        (error as Error).message += `\n\n${played.script.join('\n')}`;
        throw error;
      }
    }),
    { numRuns: RUNS },
  );
});
