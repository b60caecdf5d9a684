import { expect, it, jest } from '@jest/globals';
import { fc } from '../support/random.js';
import { testEngine } from '../support/databases.js';
import { startMoney, type Door, type MoneyShop } from '../support/ways-in.js';

// Whatever happened before: the books balance, the preview of a payout accounts for every unpaid cent, and the
// run pays what the preview showed. HISTORIES says how many; a failure prints its shortest script.
const RUNS = Number(process.env['HISTORIES'] ?? (testEngine() === 'sqlite' ? 15 : 6));

jest.setTimeout(RUNS * 30_000);

const DOORS = ['code', 'provider', 'site'] as const;
const DAY = 86_400_000;

const pick = fc.nat(1000);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('order' as const), pick, paid: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      pick,
      id: fc.constantFrom('r1', 'r2'),
      gross: fc.constantFrom('10.00', '50.00', '100.00'),
      undone: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('edit' as const),
      pick,
      patch: fc.constantFrom<object>(
        { amount: 5 },
        { amount: 0 },
        { status: 'pending' },
        { status: 'unpaid' },
        { status: 'rejected' },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('correct' as const), amount: fc.constantFrom(-15, 7.5) }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('payout', 'undo', 'release'), pick }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('dispute', 'won', 'lost', 'delete', 'day'), pick }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const FORM = { title: 'Run', description: 'Run' };
const cents = (amount: number): number => Math.round(amount * 100);

class Walk {
  readonly #orders: { readonly reference: string; readonly door: Door }[] = [];

  constructor(private readonly shop: MoneyShop) {}

  async take(taken: Step): Promise<void> {
    const { admin, affiliate, clock } = this.shop;
    if (taken.do === 'order') return this.#order(taken);
    if (taken.do === 'correct') {
      const body = { amount: taken.amount, reason: 'agreed' };
      await admin.post(`/affiliates/${affiliate.id}/balance-corrections`).send(body).expect(200);
      return;
    }
    if (taken.do === 'day') clock.advance(DAY);
    else if (taken.do === 'payout') await this.pay();
    else if (taken.do === 'undo' || taken.do === 'release') await this.#takeBack(taken);
    else if (taken.do === 'edit' || taken.do === 'delete') await this.#review(taken);
    else await this.#tell(taken);
  }

  async #order({ pick: at, paid }: Extract<Step, { do: 'order' }>): Promise<void> {
    const door = this.shop.doors[DOORS[at % DOORS.length]!];
    const reference = `O-${this.#orders.length}`;
    const currency = at % 7 === 0 ? 'EUR' : 'USD';
    await door.order(reference, { net: '100.00', paid, currency, email: `${at % 2}@buyer.test` });
    this.#orders.push({ reference, door });
  }

  async #tell(taken: Extract<Step, { do: 'refund' }> | { do: string; pick: number }): Promise<void> {
    const order = this.#orders[taken.pick % this.#orders.length];
    if (order === undefined) return;
    const { reference, door } = order;
    if ('gross' in taken) {
      const undone = door.name === 'provider' ? { state: 'undone' } : { undone: true };
      await door.refundOne?.(reference, taken.id, taken.gross, taken.undone ? undone : {});
    } else
      await door.dispute?.(reference, taken.do === 'won' ? 'won' : taken.do === 'lost' ? 'lost' : 'opened');
  }

  /** Some rows may not be changed: then nothing happens. */
  async #review(taken: Extract<Step, { do: 'edit' }> | { do: string; pick: number }): Promise<void> {
    const rows = await this.shop.referrals();
    const row = rows[taken.pick % rows.length];
    if (row === undefined) return;
    const path = `/referrals/${String(row['id'])}`;
    const { status } = await ('patch' in taken
      ? this.shop.admin.patch(path).send(taken.patch)
      : this.shop.admin.delete(path));
    expect([200, 422]).toContain(status);
  }

  async #takeBack(taken: { do: string; pick: number }): Promise<void> {
    const { admin } = this.shop;
    const payouts = (await admin.get('/payouts').expect(200)).body.payouts.data as { id: number }[];
    const payout = payouts[taken.pick % payouts.length];
    if (payout === undefined) return;
    if (taken.do === 'release') return this.shop.undo(payout.id);
    await admin.post(`/payouts/${payout.id}/undo`).send({}).expect(200);
  }

  /** What the preview says is what is unpaid, and what the run pays. */
  async pay(): Promise<void> {
    const { admin } = this.shop;
    const { body } = await admin.post('/payouts/validate-payout-config').send({ config: FORM }).expect(200);
    const shown = body.unpaid as { currency: string; amount: number; reason: string }[];
    expect(sums(shown)).toEqual(sums(await this.#unpaid()));
    const now = shown.find(({ reason }) => reason === 'paid_now')?.amount ?? 0;
    expect(body.payable_total_amount).toBe(now);
    const config = { ...FORM, preview_token: body.preview_token };
    const run = await admin.post('/payouts/process-payout').send({ config });
    expect([run.status, run.body.payout?.total_amount]).toEqual(now > 0 ? [200, now] : [422, undefined]);
  }

  async #unpaid(): Promise<{ currency: string; amount: number }[]> {
    const rows = await this.shop.referrals();
    expect(rows.filter(({ type, amount }) => type !== 'adjustment' && Number(amount) < 0)).toEqual([]);
    return rows
      .filter(({ status }) => status === 'unpaid' || status === 'pending')
      .map(({ currency, amount }) => ({ currency: String(currency), amount: Number(amount) }));
  }
}

function sums(rows: readonly { readonly currency: string; readonly amount: number }[]): object {
  const all: Record<string, number> = { EUR: 0, USD: 0 };
  for (const { currency, amount } of rows) all[currency] = (all[currency] ?? 0) + cents(amount);
  return all;
}

it(`balances, and pays what the preview showed, over ${RUNS} walks`, async () => {
  const walks = fc.array(step, { minLength: 10, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(walks, fc.constantFrom('adjust' as const, 'off' as const), async (taken, clawback) => {
      const shop = await startMoney({ clawback });
      const walk = new Walk(shop);
      for (const each of taken) {
        await walk.take(each);
        expect(await shop.service.verify()).toEqual([]);
      }
      await walk.pay();
    }),
    { numRuns: RUNS },
  );
});
