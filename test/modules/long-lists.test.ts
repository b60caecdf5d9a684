import { expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { affiliate, earn } from '../support/payouts.js';
import { insertMany, storedRows } from '../support/rows.js';

// Deep pages of long lists: a page is what the rows say, in every order.

const ROWS = 5000;
const SIZE = 200;
const START = Date.UTC(2025, 0, 1);
const ORDERS = ['id', 'created_at', 'affiliate_id', 'utm_campaign', 'url'] as const;
const URL_KEY = 191; // addresses are sorted by so much of them
const DEEP = [12, 13];

interface Visit {
  readonly id: number;
  readonly created_at: number;
  readonly affiliate_id: number;
  readonly utm_campaign: string | null;
  readonly url: string | null;
}

/** Ties in every column but the id, values missing, and one id that is not taken. */
async function longList(): Promise<{ t: TestApp; owners: number[]; gap: number }> {
  const t = await startApp();
  const owners = [(await affiliate(t, 2)).id, (await affiliate(t, 3)).id, (await affiliate(t, 4)).id];
  const rows = Array.from({ length: ROWS }, (_, at) => row(at, owners[at % 7 === 0 ? 2 : at % 2]!));
  await insertMany(t, 'visits', rows);
  const gap: number = (await storedRows(t, 'visits'))[50].id;
  await t.app.db('visits').where({ id: gap }).delete(); // as a purge in another process
  const left = await storedRows(t, 'visits');
  for (const id of owners) {
    const visits = left.filter(({ affiliate_id: owner }) => owner === id).length;
    await t.app.db('affiliates').where({ id }).update({ visits }); // clicks stored at once are not counted
  }
  return { t, owners, gap };
}

const row = (n: number, affiliateId: number): Record<string, string | number | null> => ({
  affiliate_id: affiliateId,
  url: n % 9 === 0 ? null : `https://shop.test/${'a'.repeat(n % 4 === 0 ? 490 : 0)}/${(n * 7919) % 331}?ü`,
  utm_campaign: n % 20 < 11 ? null : `c${n % 11}`,
  created_at: START + ((n * 7919) % 5000) * 1000,
  updated_at: START,
});

/** Every page of every order beside the rows sorted here. */
async function expectPages(t: TestApp, rest = '', where: Partial<Visit> = {}): Promise<void> {
  const stored: Visit[] = await storedRows(t, 'visits');
  const rows = stored
    .filter((each) => Object.entries(where).every(([name, value]) => each[name as keyof Visit] === value))
    .map((each) => ({ ...each, url: each.url?.slice(0, URL_KEY) ?? null }));
  for (const column of ORDERS) {
    for (const type of ['ASC', 'DESC'] as const) {
      const sorted = rows.toSorted(comparing(column, type)).map(({ id }) => id);
      for (const page of DEEP) {
        const { body } = await t.admin
          .get(`/visits?per_page=${SIZE}&page=${page}&order_by=${column}&order_type=${type}${rest}`)
          .expect(200);
        const place = `${column} ${type} ${page}`;
        expect([place, body.visits.total, ...body.visits.data.map(({ id }: Visit) => id)]).toEqual([
          place,
          rows.length,
          ...sorted.slice((page - 1) * SIZE, page * SIZE),
        ]);
      }
    }
  }
}

const comparing =
  <K extends string>(column: K, type: 'ASC' | 'DESC') =>
  (a: { readonly id: number } & Readonly<Record<K, string | number | null>>, b: typeof a): number => {
    const [x, y] = [a[column], b[column]];
    if ((x === null) !== (y === null)) return x === null ? 1 : -1; // last in both directions
    const order = x === y || x === null || y === null ? a.id - b.id : x < y ? -1 : 1;
    return type === 'ASC' ? order : -order;
  };

const click = (t: TestApp, affiliateId: number, at: number): Promise<unknown> =>
  t.records.visit({ affiliate_id: affiliateId, created_at: at, utm_campaign: 'c5' });

it('shows every deep page right after clicks, late writers, retention and deleted affiliates', async () => {
  const {
    t,
    owners: [first, second, third],
    gap,
  } = await longList();
  await expectPages(t);

  for (let n = 0; n < 5; n++) await click(t, first!, START + n * 500_000);
  await expectPages(t);

  // A writer that had taken its id long ago commits only now.
  await t.app.transaction(async (trx) => {
    await trx('affiliates').where({ id: second }).increment('visits', 1);
    await trx('visits').insert({ id: gap, ...row(1, second!) });
  });
  await expectPages(t);

  // One removed and one more from a late writer at once: the number of rows is the same.
  await t.app.visits.purgeBefore(START + 1000);
  await t.app.transaction(async (trx) => {
    const free = (await trx('visits').min({ id: 'id' }).first()) as { id: number };
    await trx('affiliates').where({ id: second }).increment('visits', 1);
    await trx('visits').insert({ id: Number(free.id) - 1, ...row(2, second!) });
  });
  await expectPages(t);

  await t.admin.delete(`/affiliates/${third}`).expect(200);
  await expectPages(t);
}, 180_000);

it('forgets what a rolled back transaction had seen', async () => {
  const {
    t,
    owners: [, , third],
  } = await longList();
  await expectPages(t);

  await expect(
    t.app.transaction(async (trx) => {
      await t.app.visits.deleteOfAffiliate(trx, third!);
      await t.app.visits.list({ page: 17, per_page: SIZE, order_by: 'id', order_type: 'DESC', search: '' });
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  await expectPages(t);
});

it('knows the visits of one affiliate, and shows them to the affiliate as to the admin', async () => {
  const {
    t,
    owners: [first],
  } = await longList();
  const stored: Visit[] = await storedRows(t, 'visits');
  const ids = stored
    .filter((each) => each.affiliate_id === first)
    .map(({ id }) => id)
    .toReversed();
  expect(ids.length).toBeGreaterThan(2100);

  for (const page of [1, 10, 11]) {
    const { body } = await t.admin
      .get(`/affiliates/${first}/visits?per_page=${SIZE}&page=${page}`)
      .expect(200);
    expect([body.visits.total, ...body.visits.data.map(({ id }: Visit) => id)]).toEqual([
      ids.length,
      ...ids.slice((page - 1) * SIZE, page * SIZE),
    ]);
    const { body: own } = await t.as(2).get(`/portal/visits?per_page=${SIZE}&page=${page}`).expect(200);
    expect([own.visits.total, own.visits.data.length]).toEqual([ids.length, body.visits.data.length]);
  }
});

it('shows every deep page of clicks that brought an order, and of those that did not', async () => {
  const {
    t,
    owners: [first, second],
  } = await longList();
  const clicks: Visit[] = await storedRows(t, 'visits');
  const ids = clicks.map(({ id, affiliate_id: owner }) => ({ id, owner }));
  const sold = ids.filter((_id, at) => at % 12 !== 5); // so many that their middle is far from both ends
  await insertMany(
    t,
    'referrals',
    sold.map(({ id, owner }) => ({
      affiliate_id: owner,
      visit_id: id,
      status: 'rejected',
      type: 'sale',
      amount_minor: 1,
      created_at: START,
      updated_at: START,
    })),
  );
  await t.service.ledger.reconcile();

  const expectBoth = async (): Promise<void> => {
    const named = new Set((await storedRows(t, 'referrals')).map((each) => each.visit_id));
    const visits: Visit[] = (await storedRows(t, 'visits')).toReversed();
    for (const [status, wanted] of [
      ['converted', true],
      ['not_converted', false],
    ] as const) {
      for (const [path, name, mine] of [
        ['/visits', 'convert_status', undefined],
        [`/affiliates/${first}/visits`, 'status', first],
      ] as const) {
        const all = visits
          .filter((each) => mine === undefined || each.affiliate_id === mine)
          .map(({ id }) => id)
          .filter((id) => named.has(id) === wanted);
        for (const page of [1, 12, 13]) {
          const { body } = await t.admin
            .get(`${path}?${name}=${status}&per_page=${SIZE}&page=${page}`)
            .expect(200);
          const place = `${path} ${status} ${page}`;
          expect([place, body.visits.total, ...body.visits.data.map(({ id }: Visit) => id)]).toEqual([
            place,
            all.length,
            ...all.slice((page - 1) * SIZE, page * SIZE),
          ]);
        }
      }
    }
  };
  await expectBoth();

  // An old click brings an order late; the only order of one before the middle goes:
  // as many rows as before, but others.
  const plain = ids[17]!;
  await earn(t, plain.owner, 500, { visit_id: plain.id });
  const orders = await storedRows(t, 'referrals');
  const order = orders.find((each) => each.visit_id === sold.at(-1000)!.id);
  await t.admin.delete(`/referrals/${order.id}`).expect(200);
  await expectBoth();

  // A second order of a click changes nothing, and neither does its end while the first one is there.
  const twice = await earn(t, plain.owner, 500, { visit_id: plain.id });
  await t.admin.delete(`/referrals/${twice.id}`).expect(200);
  await expectBoth();

  await t.app.visits.purgeBefore(START + 500_000);
  await t.admin.delete(`/affiliates/${second}`).expect(200);
  await expectBoth();
}, 180_000);

it('shows affiliates every deep page of their own referrals, without those that wait', async () => {
  const t = await startApp();
  const { id: owner } = await affiliate(t, 2);
  await insertMany(
    t,
    'referrals',
    Array.from({ length: ROWS }, (_, at) => ({
      affiliate_id: owner,
      status: at % 12 === 5 ? 'pending' : ['rejected', 'cancelled', 'unpaid'][at % 3],
      type: 'sale',
      amount_minor: at,
      currency: 'USD',
      created_at: START,
      updated_at: START,
    })),
  );
  await t.service.ledger.reconcile();
  const expectAll = async (): Promise<void> => {
    const shown = (await storedRows(t, 'referrals'))
      .filter(({ status }) => status !== 'pending')
      .map((each) => each.amount_minor)
      .toReversed();
    for (const page of [1, 15, 16, 30]) {
      const { body } = await t.as(2).get(`/portal/referrals?per_page=150&page=${page}`).expect(200);
      const amounts = body.referrals.data.map(({ amount }: { amount: number }) => Math.round(amount * 100));
      expect([page, body.referrals.total, ...amounts]).toEqual([
        page,
        shown.length,
        ...shown.slice((page - 1) * 150, page * 150),
      ]);
    }
  };
  await expectAll();

  // A row before the middle is shown no more, an old one is now: as many as before, but others.
  const ids = (await storedRows(t, 'referrals')).map(({ id }) => id);
  await t.admin.patch(`/referrals/${ids[3998]}`).send({ status: 'pending' }).expect(200);
  await t.admin.patch(`/referrals/${ids[17]}`).send({ status: 'unpaid' }).expect(200);
  await expectAll();

  await t.records.payout();
  await t.records.referral({ affiliate_id: owner, amount: 3 });
  await t.admin.delete(`/referrals/${ids[1]}`).expect(200);
  await expectAll();
}, 180_000);

it('shows every deep page of referrals right after new, changed, paid and deleted ones', async () => {
  const t = await startApp();
  const { id: owner } = await affiliate(t, 2);
  await insertMany(
    t,
    'referrals',
    Array.from({ length: ROWS }, (_, at) => ({
      affiliate_id: owner,
      status: at % 5 === 0 ? 'unpaid' : 'pending',
      type: at % 3 === 0 ? 'opt_in' : 'sale',
      amount_minor: 100 + ((at * 7919) % 1000),
      currency: 'USD',
      provider: at % 20 < 11 ? null : `shop${at % 3}`,
      created_at: START + ((at * 7919) % 1000) * 1000,
      updated_at: START + (at % 700),
    })),
  );
  await t.service.ledger.reconcile();

  const columns = {
    id: 'id',
    created_at: 'created_at',
    provider: 'provider',
    amount: 'amount_minor',
    status: 'status',
    type: 'type',
    updated_at: 'updated_at',
  } as const;
  type Stored = { readonly id: number } & Readonly<
    Record<(typeof columns)[keyof typeof columns], string | number | null>
  >;
  const expectAll = async (): Promise<void> => {
    const rows: Stored[] = await storedRows(t, 'referrals');
    for (const [name, column] of Object.entries(columns))
      for (const page of DEEP)
        await expectPage(`order_by=${name}`, page, rows.toSorted(comparing(column, 'DESC')));
    for (const page of [11, 12])
      await expectPage(
        'status=pending',
        page,
        rows.filter(({ status }) => status === 'pending').toSorted(comparing('created_at', 'DESC')),
      );
  };
  const expectPage = async (
    query: string,
    page: number,
    rows: readonly { readonly id: number }[],
  ): Promise<void> => {
    const { body } = await t.admin.get(`/referrals?per_page=${SIZE}&page=${page}&${query}`).expect(200);
    const place = `${query} ${page}`;
    expect([place, body.referrals.total, ...body.referrals.data.map(({ id }: { id: number }) => id)]).toEqual(
      [place, rows.length, ...rows.slice((page - 1) * SIZE, page * SIZE).map(({ id }) => id)],
    );
  };
  await expectAll();
  const ids = (await storedRows(t, 'referrals')).map(({ id }) => id);
  await t.records.referral({ affiliate_id: owner });
  await t.admin.delete(`/referrals/${ids[0]}`).expect(200);
  await expectAll();

  // Places in an order that changes, and in the list of a status: as many rows as before, but others.
  await t.admin.patch(`/referrals/${ids[1]}`).send({ amount: 900, type: 'sale' }).expect(200);
  await t.admin.patch(`/referrals/${ids[2]}`).send({ status: 'unpaid', type: 'sale' }).expect(200);
  await t.admin.patch(`/referrals/${ids[5]}`).send({ status: 'pending' }).expect(200);
  await expectAll();

  const payout = await t.records.payout();
  await expectAll();
  const { body } = await t.admin.get(`/payouts/${payout.id}/transactions`).expect(200);
  await t.admin.delete(`/payouts/${payout.id}/transactions/${body.transactions.data[0].id}`).expect(200);
  await t.app.transaction(async (trx) => {
    const seen = await t.app.referrals.writer.lock(trx, ids[7]);
    await t.app.referrals.writer.changeSettings(trx, seen!, { flags: ['looked at'] });
  });
  await expectAll();
}, 180_000);
