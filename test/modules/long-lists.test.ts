import { expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { affiliate, earn } from '../support/payouts.js';

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
  for (let from = 0; from < ROWS; from += 500) {
    const rows = Array.from({ length: 500 }, (_, at) =>
      row(from + at, owners[(from + at) % 7 === 0 ? 2 : (from + at) % 2]!),
    );
    await t.app.db('visits').insert(rows);
  }
  const { id: gap } = (await t.app.db('visits').first('id').orderBy('id').offset(50)) as { id: number };
  await t.app.db('visits').where({ id: gap }).delete();
  for (const id of owners) {
    const { n } = (await t.app.db('visits').where({ affiliate_id: id }).count({ n: '*' }).first()) as {
      n: number;
    };
    await t.app
      .db('affiliates')
      .where({ id })
      .update({ visits: Number(n) });
  }
  return { t, owners, gap: Number(gap) };
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
  const stored = (await t.app
    .db('visits')
    .select('id', ...ORDERS.slice(1))
    .where(where)) as Visit[];
  const rows = stored.map((each) => ({
    ...each,
    id: Number(each.id),
    created_at: Number(each.created_at),
    affiliate_id: Number(each.affiliate_id),
    url: each.url?.slice(0, URL_KEY) ?? null,
  }));
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
  const stored = (await t.app
    .db('visits')
    .select('id')
    .where({ affiliate_id: first })
    .orderBy('id', 'desc')) as { id: number }[];
  const ids = stored.map(({ id }) => Number(id));
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
  const ids = (
    (await t.app.db('visits').select('id', 'affiliate_id').orderBy('id')) as {
      id: number;
      affiliate_id: number;
    }[]
  ).map((each) => ({ id: Number(each.id), owner: Number(each.affiliate_id) }));
  const sold = ids.filter((_id, at) => at % 12 !== 5); // so many that their middle is far from both ends
  for (let from = 0; from < sold.length; from += 250) {
    await t.app.db('referrals').insert(
      sold.slice(from, from + 250).map(({ id, owner }) => ({
        affiliate_id: owner,
        visit_id: id,
        status: 'rejected',
        type: 'sale',
        amount_minor: 1,
        created_at: START,
        updated_at: START,
      })),
    );
  }
  await t.service.ledger.reconcile();

  const expectBoth = async (): Promise<void> => {
    const named = new Set(
      (await t.app.db('referrals').whereNotNull('visit_id').pluck('visit_id')).map(Number),
    );
    for (const [status, wanted] of [
      ['converted', true],
      ['not_converted', false],
    ] as const) {
      for (const [path, name, mine] of [
        ['/visits', 'convert_status', undefined],
        [`/affiliates/${first}/visits`, 'status', first],
      ] as const) {
        const all = (
          await t.app
            .db('visits')
            .where(mine === undefined ? {} : { affiliate_id: mine })
            .orderBy('id', 'desc')
            .pluck('id')
        )
          .map(Number)
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
  const { id: order } = (await t.app
    .db('referrals')
    .first('id')
    .where({ visit_id: sold.at(-1000)!.id })) as { id: number };
  await t.admin.delete(`/referrals/${order}`).expect(200);
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
  for (let from = 0; from < ROWS; from += 500) {
    await t.app.db('referrals').insert(
      Array.from({ length: 500 }, (_, at) => ({
        affiliate_id: owner,
        status: (from + at) % 12 === 5 ? 'pending' : ['rejected', 'cancelled', 'unpaid'][(from + at) % 3],
        type: 'sale',
        amount_minor: from + at,
        currency: 'USD',
        created_at: START,
        updated_at: START,
      })),
    );
  }
  await t.service.ledger.reconcile();
  const expectAll = async (): Promise<void> => {
    const shown = (
      await t.app.db('referrals').whereNot({ status: 'pending' }).orderBy('id', 'desc').pluck('amount_minor')
    ).map(Number);
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
  const ids = (await t.app.db('referrals').orderBy('id').pluck('id')).map(Number);
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
  for (let from = 0; from < ROWS; from += 500) {
    await t.app.db('referrals').insert(
      Array.from({ length: 500 }, (_, at) => ({
        affiliate_id: owner,
        status: (from + at) % 5 === 0 ? 'unpaid' : 'pending',
        type: (from + at) % 3 === 0 ? 'opt_in' : 'sale',
        amount_minor: 100 + (((from + at) * 7919) % 1000),
        currency: 'USD',
        provider: (from + at) % 20 < 11 ? null : `shop${(from + at) % 3}`,
        created_at: START + (((from + at) * 7919) % 1000) * 1000,
        updated_at: START + ((from + at) % 700),
      })),
    );
  }
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
    const stored = (await t.app.db('referrals').select(Object.values(columns))) as Stored[];
    const rows = stored.map((each) => ({
      ...each,
      id: Number(each.id),
      created_at: Number(each.created_at),
      amount_minor: Number(each.amount_minor),
      updated_at: Number(each.updated_at),
    }));
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
  const ids = (await t.app.db('referrals').orderBy('id').pluck('id')).map(Number);
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
    const seen = await t.app.referrals.books.lock(trx, ids[7]!);
    await t.app.referrals.books.note(trx, seen!, { flags: ['looked at'] });
  });
  await expectAll();
}, 180_000);
