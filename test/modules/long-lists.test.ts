import { expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { affiliate, earn } from '../support/payouts.js';

// Lists so long that their middle is reached from remembered places. A page must be what the rows say, whatever happened since.

const ROWS = 5000;
const SIZE = 200;
const START = Date.UTC(2025, 0, 1);
const ORDERS = ['id', 'created_at', 'affiliate_id', 'utm_campaign', 'url'] as const;
const URL_KEY = 500; // addresses are sorted by so much of them
const DEEP = [12, 13];

interface Visit { readonly id: number; readonly created_at: number; readonly affiliate_id: number; readonly utm_campaign: string | null; readonly url: string | null }

/** Ties in every column but the id, values missing, and one id that is not taken. */
async function longList(): Promise<{ t: TestApp; owners: number[]; gap: number }> {
  const t = await startApp();
  const owners = [(await affiliate(t, 2)).id, (await affiliate(t, 3)).id, (await affiliate(t, 4)).id];
  for (let from = 0; from < ROWS; from += 500) {
    const rows = Array.from({ length: 500 }, (_, at) => row(from + at, owners[(from + at) % 7 === 0 ? 2 : (from + at) % 2]!));
    await t.app.db('visits').insert(rows);
  }
  const { id: gap } = await t.app.db('visits').first('id').orderBy('id').offset(50) as { id: number };
  await t.app.db('visits').where({ id: gap }).delete();
  for (const id of owners) {
    const { n } = await t.app.db('visits').where({ affiliate_id: id }).count({ n: '*' }).first() as { n: number };
    await t.app.db('affiliates').where({ id }).update({ visits: Number(n) });
  }
  return { t, owners, gap: Number(gap) };
}

const row = (n: number, affiliateId: number): Record<string, string | number | null> => ({
  affiliate_id: affiliateId, url: n % 9 === 0 ? null : `https://shop.test/${'a'.repeat(n % 4 === 0 ? 490 : 0)}/${n * 7919 % 331}?ü`, utm_campaign: n % 20 < 11 ? null : `c${n % 11}`,
  created_at: START + (n * 7919 % 5000) * 1000, updated_at: START,
});

/** Every page of every order beside the rows sorted here. */
async function expectPages(t: TestApp, rest = '', where: Partial<Visit> = {}): Promise<void> {
  const stored = await t.app.db('visits').select('id', ...ORDERS.slice(1)).where(where) as Visit[];
  const rows = stored.map((each) => ({ ...each, id: Number(each.id), created_at: Number(each.created_at), affiliate_id: Number(each.affiliate_id), url: each.url?.slice(0, URL_KEY) ?? null }));
  for (const column of ORDERS) {
    for (const type of ['ASC', 'DESC'] as const) {
      const sorted = rows.toSorted(comparing(column, type)).map(({ id }) => id);
      for (const page of DEEP) {
        const { body } = await t.admin.get(`/visits?per_page=${SIZE}&page=${page}&order_by=${column}&order_type=${type}${rest}`).expect(200);
        const place = `${column} ${type} ${page}`;
        expect([place, body.visits.total, ...body.visits.data.map(({ id }: Visit) => id)]).toEqual([place, rows.length, ...sorted.slice((page - 1) * SIZE, page * SIZE)]);
      }
    }
  }
}

const comparing = <K extends string>(column: K, type: 'ASC' | 'DESC') =>
  (a: { readonly id: number } & Readonly<Record<K, string | number | null>>, b: typeof a): number => {
    const [x, y] = [a[column], b[column]];
    if ((x === null) !== (y === null)) return x === null ? 1 : -1; // last in both directions
    const order = x === y || x === null || y === null ? a.id - b.id : x < y ? -1 : 1;
    return type === 'ASC' ? order : -order;
  };

const click = (t: TestApp, affiliateId: number, at: number): Promise<unknown> =>
  t.records.visit({ affiliate_id: affiliateId, created_at: at, utm_campaign: 'c5' });

it('shows every deep page right after clicks, late writers, retention and deleted affiliates', async () => {
  const { t, owners: [first, second, third], gap } = await longList();
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
    const free = await trx('visits').min({ id: 'id' }).first() as { id: number };
    await trx('affiliates').where({ id: second }).increment('visits', 1);
    await trx('visits').insert({ id: Number(free.id) - 1, ...row(2, second!) });
  });
  await expectPages(t);

  await t.admin.delete(`/affiliates/${third}`).expect(200);
  await expectPages(t);
});

it('forgets what a rolled back transaction had seen', async () => {
  const { t, owners: [, , third] } = await longList();
  await expectPages(t);

  await expect(t.app.transaction(async (trx) => {
    await t.app.visits.deleteOfAffiliate(trx, third!);
    await t.app.visits.list({ page: 17, per_page: SIZE, order_by: 'id', order_type: 'DESC', search: '' });
    throw new Error('no');
  })).rejects.toThrow('no');
  await expectPages(t);
});

it('knows the visits of one affiliate, and shows them to the affiliate as to the admin', async () => {
  const { t, owners: [first] } = await longList();
  const stored = await t.app.db('visits').select('id').where({ affiliate_id: first }).orderBy('id', 'desc') as { id: number }[];
  const ids = stored.map(({ id }) => Number(id));
  expect(ids.length).toBeGreaterThan(2100);

  for (const page of [1, 10, 11]) {
    const { body } = await t.admin.get(`/affiliates/${first}/visits?per_page=${SIZE}&page=${page}`).expect(200);
    expect([body.visits.total, ...body.visits.data.map(({ id }: Visit) => id)]).toEqual([ids.length, ...ids.slice((page - 1) * SIZE, page * SIZE)]);
    const { body: own } = await t.as(2).get(`/portal/visits?per_page=${SIZE}&page=${page}`).expect(200);
    expect([own.visits.total, own.visits.data.length]).toEqual([ids.length, body.visits.data.length]);
  }
});

it('shows every deep page of clicks that brought an order, and of those that did not', async () => {
  const { t, owners: [first, second] } = await longList();
  const ids = (await t.app.db('visits').select('id', 'affiliate_id').orderBy('id') as { id: number; affiliate_id: number }[]).map((each) => ({ id: Number(each.id), owner: Number(each.affiliate_id) }));
  const sold = ids.filter((_id, at) => at % 2 === 0);
  for (let from = 0; from < sold.length; from += 250) {
    await t.app.db('referrals').insert(sold.slice(from, from + 250).map(({ id, owner }) => (
      { affiliate_id: owner, visit_id: id, status: 'rejected', type: 'sale', amount_minor: 1, created_at: START, updated_at: START }
    )));
  }
  await t.service.ledger.reconcile();

  const expectBoth = async (): Promise<void> => {
    const named = new Set((await t.app.db('referrals').whereNotNull('visit_id').pluck('visit_id')).map(Number));
    for (const [status, wanted] of [['converted', true], ['not_converted', false]] as const) {
      for (const [path, name, mine] of [['/visits', 'convert_status', undefined], [`/affiliates/${first}/visits`, 'status', first]] as const) {
        const all = (await t.app.db('visits').where(mine === undefined ? {} : { affiliate_id: mine }).orderBy('id', 'desc').pluck('id')).map(Number).filter((id) => named.has(id) === wanted);
        for (const page of [1, 6, 12]) {
          const { body } = await t.admin.get(`${path}?${name}=${status}&per_page=${SIZE}&page=${page}`).expect(200);
          const place = `${path} ${status} ${page}`;
          expect([place, body.visits.total, ...body.visits.data.map(({ id }: Visit) => id)]).toEqual([place, all.length, ...all.slice((page - 1) * SIZE, page * SIZE)]);
        }
      }
    }
  };
  await expectBoth();

  // An old click brings an order late; another one's only order goes: as many rows as before, but others.
  const plain = ids[101]!;
  await earn(t, plain.owner, 500, { visit_id: plain.id });
  const { id: order } = await t.app.db('referrals').first('id').where({ visit_id: sold[100]!.id }) as { id: number };
  await t.admin.delete(`/referrals/${order}`).expect(200);
  await expectBoth();

  // A second order of a click changes nothing, and neither does its end while the first one is there.
  const twice = await earn(t, plain.owner, 500, { visit_id: plain.id });
  await t.admin.delete(`/referrals/${twice.id}`).expect(200);
  await expectBoth();

  await t.app.visits.purgeBefore(START + 500_000);
  await t.admin.delete(`/affiliates/${second}`).expect(200);
  await expectBoth();
}, 60_000);

it('shows affiliates every deep page of their own referrals, without those that wait', async () => {
  const t = await startApp();
  const { id: owner } = await affiliate(t, 2);
  for (let from = 0; from < ROWS; from += 500) {
    await t.app.db('referrals').insert(Array.from({ length: 500 }, (_, at) => ({
      affiliate_id: owner, status: ['pending', 'rejected', 'cancelled', 'unpaid'][(from + at) % 4], type: 'sale', amount_minor: from + at, currency: 'USD', created_at: START, updated_at: START,
    })));
  }
  await t.service.ledger.reconcile();
  const expectAll = async (): Promise<void> => {
    const shown = (await t.app.db('referrals').whereNot({ status: 'pending' }).orderBy('id', 'desc').pluck('amount_minor')).map(Number);
    for (const page of [1, 12, 13, 25]) {
      const { body } = await t.as(2).get(`/portal/referrals?per_page=150&page=${page}`).expect(200);
      const amounts = body.referrals.data.map(({ amount }: { amount: number }) => Math.round(amount * 100));
      expect([page, body.referrals.total, ...amounts]).toEqual([page, shown.length, ...shown.slice((page - 1) * 150, page * 150)]);
    }
  };
  await expectAll();

  // One old row is shown no more, another one is now: as many as before, but others.
  const ids = (await t.app.db('referrals').orderBy('id').pluck('id')).map(Number);
  await t.admin.patch(`/referrals/${ids[41]}`).send({ status: 'pending' }).expect(200);
  await t.admin.patch(`/referrals/${ids[400]}`).send({ status: 'unpaid' }).expect(200);
  await expectAll();

  await t.records.payout();
  await t.records.referral({ affiliate_id: owner, amount: 3 });
  await t.admin.delete(`/referrals/${ids[1]}`).expect(200);
  await expectAll();
}, 60_000);

it('shows every deep page of referrals right after new and deleted ones', async () => {
  const t = await startApp();
  const { id: owner } = await affiliate(t, 2);
  for (let from = 0; from < ROWS; from += 500) {
    await t.app.db('referrals').insert(Array.from({ length: 500 }, (_, at) => ({
      affiliate_id: owner, status: 'pending', type: 'sale', amount_minor: 100, currency: 'USD', provider: (from + at) % 20 < 11 ? null : `shop${(from + at) % 3}`,
      created_at: START + ((from + at) * 7919 % 1000) * 1000, updated_at: START,
    })));
  }
  await t.service.ledger.reconcile();

  const expectAll = async (): Promise<void> => {
    const stored = await t.app.db('referrals').select('id', 'created_at', 'provider') as { id: number; created_at: number; provider: string | null }[];
    const rows = stored.map((each) => ({ ...each, id: Number(each.id), created_at: Number(each.created_at) }));
    for (const column of ['id', 'created_at', 'provider'] as const) {
      for (const page of DEEP) {
        const sorted = rows.toSorted(comparing(column, 'DESC')).map(({ id }) => id);
        const { body } = await t.admin.get(`/referrals?per_page=${SIZE}&page=${page}&order_by=${column}`).expect(200);
        const place = `${column} ${page}`;
        expect([place, body.referrals.total, ...body.referrals.data.map(({ id }: { id: number }) => id)]).toEqual([place, rows.length, ...sorted.slice((page - 1) * SIZE, page * SIZE)]);
      }
    }
  };
  await expectAll();
  await t.records.referral({ affiliate_id: owner });
  const { id: oldest } = await t.app.db('referrals').first('id').orderBy('id', 'asc') as { id: number };
  await t.admin.delete(`/referrals/${oldest}`).expect(200);
  await expectAll();
});
