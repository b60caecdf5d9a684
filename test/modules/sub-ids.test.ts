import { beforeEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startApp, type TestApp } from '../support/app.js';
import { connectChild, signed } from '../support/sites.js';
import { NAVIGATION, trackedSite } from '../support/tracker.js';

const NONE = { sub1: null, sub2: null, sub3: null, sub4: null, sub5: null };

let t: TestApp;
let id: number;
beforeEach(async () => {
  t = await startApp({ rate: 10 });
  ({ id } = await t.records.affiliate({ user_id: 2, status: 'active' }));
});

const open = (path: string, address = '203.0.113.7') =>
  request(t.server)
    .get(path)
    .set({ ...NAVIGATION, 'X-Forwarded-For': address });
const clicked = async (): Promise<Record<string, unknown>> =>
  (await t.admin.get('/visits').expect(200)).body.visits.data[0];

/** A click with these sub ids, and a paid order of 100 that it led to. */
async function sale(reference: string, subIds: object): Promise<void> {
  const visit = await t.records.visit({ affiliate_id: id, ...subIds });
  await t.service.conversions.record(null, {
    provider: 'shop',
    reference,
    status: 'unpaid',
    order: { subtotal: '100.00' },
    visit_id: Number(visit.id),
  });
}

describe('sub ids of links (docs/tracking.md §1)', () => {
  it('stay with the click, the commission and its renewals, and with the events about them', async () => {
    await t.app.settings.saveReferralConfig({
      enable_subscription_renewal: 'yes',
      renewal_rate_type: 'percentage',
      renewal_rate: 10,
    });
    await open(`/?ref=${id}&sub1=newsletter&SUB2=A-17&amp;sub3=März 4|x&other=1`).expect(200);
    const order = { provider: 'shop', status: 'unpaid', order: { subtotal: '50.00' } } as const;
    const { referral } = await t.service.conversions.record(null, {
      ...order,
      reference: '1',
      visit_id: Number((await clicked())['id']),
      subscription: { id: 'S-1' },
    });
    const renewal = await t.service.conversions.record(null, {
      ...order,
      reference: '2',
      subscription: { id: 'S-1', phase: 'renewal' },
    });

    const kept = { ...NONE, sub1: 'newsletter', sub2: 'A-17', sub3: 'März 4|x' };
    expect(await clicked()).toMatchObject({ ...kept, url: 'https://shop.test/?other=1' });
    expect(referral).toMatchObject(kept);
    expect(renewal.referral).toMatchObject(kept);
    await t.service.webhooks.lineUp();
    const events = (await t.admin.get('/events').expect(200)).body.events;
    const created = events.find(({ type }: { type: string }) => type === 'referral.created');
    expect(created.data).toMatchObject(kept);
  });

  it.each([
    ['longer than its limit', 'x'.repeat(101)],
    ['with markup', '<b>a</b>'],
    ['with a line break', 'a\nb'],
    ['with quotes', "a'b"],
    ['blank', ' '],
  ])('are left out when one is %s', async (_what, value) => {
    await open(`/?ref=${id}&sub1=${encodeURIComponent(value)}&sub5=ok`).expect(200);
    expect(await clicked()).toMatchObject({ ...NONE, sub5: 'ok' });
  });

  it('are read by the tracking call, to which the script sends them', async () => {
    const script = await request(t.server).get('/site-links.js').expect(200);
    expect(script.text).toContain('"sub1","sub2","sub3","sub4","sub5"');
    await trackedSite(t.app)
      .track({ __aff_id__: String(id), url: 'https://shop.test/a?sub4=z', sub4: 'z' })
      .expect(200);
    expect(await clicked()).toMatchObject({ ...NONE, sub4: 'z', url: 'https://shop.test/a' });
  });

  it('of a short link go on to its target, in place of its own', async () => {
    await t.service.links.create({
      affiliate_id: id,
      slug: 'summer',
      url: 'https://shop.test/a?sub1=old&sub2=b',
    });
    const { headers } = await open('/go/summer?sub1=new').expect(302);
    expect(headers['location']).toBe('https://shop.test/a?sub2=b&sub1=new');
    expect(await clicked()).toMatchObject({ ...NONE, sub1: 'new', sub2: 'b' });
  });

  it('are reported by connected sites', async () => {
    const child = await connectChild(t, 'https://store.test');
    await signed(t, child, 'post', '/connected-sites/visits', {
      affiliate_param: String(id),
      url: 'https://store.test/shop?sub1=pod&a=1',
      ip: '203.0.113.9',
      sub1: 'pod',
      sub2: ['no text'],
    }).expect(200);
    expect(await clicked()).toMatchObject({ ...NONE, sub1: 'pod', url: 'https://store.test/shop?a=1' });
  });

  it('narrow lists, sums and exports, for the affiliate too', async () => {
    await sale('1', { sub1: 'pod', sub2: 'x' });
    await sale('2', { sub1: 'POD' });
    await sale('3', { sub1: 'pod' });
    const alice = t.as(2);
    const length = async (client: typeof alice, path: string, key: string): Promise<number> =>
      (await client.get(path).expect(200)).body[key].data.length;

    expect(await length(t.admin, '/visits?sub1=pod', 'visits')).toBe(2);
    expect(await length(t.admin, '/visits?sub1=', 'visits')).toBe(3);
    expect(await length(t.admin, '/visits?search=sub2%3Dx', 'visits')).toBe(1);
    expect(await length(t.admin, '/referrals?sub1=pod&sub2=x', 'referrals')).toBe(1);
    expect(await length(alice, '/portal/clicks?sub1=pod', 'clicks')).toBe(2);
    expect(await length(alice, '/portal/earnings?sub1=POD', 'earnings')).toBe(1);
    const { totals } = (await t.admin.get('/referrals/totals?sub1=pod').expect(200)).body;
    expect(totals).toMatchObject([{ count: 2, amount: 20 }]);
    await t.admin.get(`/referrals/export?sub1=${'x'.repeat(101)}`).expect(422);

    const file = await t.admin.get('/visits/export?sub2=x&format=csv').expect(200);
    expect(file.text.split('\n')[0]).toContain('created_at,sub1,sub2,sub3,sub4,sub5');
    expect(file.text.trim().split('\n')).toHaveLength(2);
    const { referrals } = (await t.admin.get('/referrals/export?sub2=x&format=json').expect(200)).body;
    expect(referrals).toMatchObject([{ sub1: 'pod', sub2: 'x', sub3: null }]);
  });

  it('are summed up in reports, and for the affiliate', async () => {
    await sale('1', { sub1: 'pod' });
    await sale('2', { sub1: 'pod' });
    await t.records.visit({ affiliate_id: id, sub1: 'blog' });
    const stranger = await t.records.affiliate({ user_id: 3, status: 'active' });
    await t.records.visit({ affiliate_id: stranger.id, sub1: 'pod' });

    const { rows } = (await t.admin.get('/reports/breakdown?by=sub1').expect(200)).body;
    expect(rows).toMatchObject([
      { key: 'pod', clicks: 3, orders: 2, earnings: 20, order_total: 200 },
      { key: 'blog', clicks: 1, orders: 0, earnings: 0 },
    ]);
    const one = (await t.admin.get('/reports/breakdown?by=sub1&of=pod').expect(200)).body;
    expect(one.course.clicks.at(-1)).toBe(3);
    expect((await t.as(2).get('/reports/breakdown?by=sub1').expect(200)).body.rows).toEqual([]);
    const own = (await t.as(2).get('/portal/performance?by=sub1').expect(200)).body;
    expect(own).toMatchObject({
      by: 'sub1',
      rows: [
        { name: 'pod', clicks: 2, orders: 2, earnings: 20 },
        { name: 'blog', clicks: 1, orders: 0, earnings: 0 },
      ],
    });
  });
});
