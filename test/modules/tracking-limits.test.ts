import { beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import {
  BROWSER,
  setCookie,
  trackedSite,
  type Headers,
  type TrackedSite,
  cookieOf,
} from '../support/tracker.js';
import { statementsOf } from '../support/statements.js';

let t: TestApp;
let site: TrackedSite;
let alice: { id: number };
let bob: { id: number };

beforeEach(async () => {
  t = await startApp({ tracking: { trustProxy: ['127.0.0.1'] } });
  site = trackedSite(t.app);
  alice = await t.records.affiliate({ user_id: 2 });
  bob = await t.records.affiliate({ user_id: 3 });
});

const from = (address: string, agent = 'A'): Headers => ({
  'X-Forwarded-For': address,
  'User-Agent': `${BROWSER} ${agent}`,
});
const counters = async (): Promise<number[]> => [
  (await t.app.affiliates.get(alice.id)).visits,
  (await t.app.affiliates.get(bob.id)).visits,
];
const rows = async (): Promise<number> => (await t.admin.get('/visits').expect(200)).body.visits.total;
const message = async (id: number, headers: Headers): Promise<string> =>
  (await site.track({ __aff_id__: String(id), url: 'https://shop.test/' }, headers)).body.message;

describe('clicks at the same time', () => {
  it('are all counted, once each', async () => {
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, at) =>
        site.open(`/?ref=${at % 2 === 0 ? alice.id : bob.id}`, from(`203.0.113.${at}`)),
      ),
    );

    await t.app.tracking.flush(); // on a slow machine pages wait neither for their click nor for their cookie
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await counters()).toEqual([32, 32]);
    expect(await rows()).toBe(64);
  });

  it('of one visitor are one visit', async () => {
    const answers = await Promise.all(
      Array.from({ length: 16 }, () =>
        site.track({ __aff_id__: String(alice.id), url: 'https://shop.test/' }, from('203.0.113.1')),
      ),
    );

    expect(new Set(answers.map((answer) => `${answer.body.message} ${answer.body.visit_id}`)).size).toBe(1);
    expect(await counters()).toEqual([1, 0]);
  });

  it('share few transactions', async () => {
    const statements = await statementsOf(t, async () => {
      await Promise.all(
        Array.from({ length: 64 }, (_, at) => site.open(`/?ref=${alice.id}`, from(`203.0.113.${at}`))),
      );
      await t.app.tracking.flush();
    });
    const begun = statements.filter((sql) => /insert into .fa_visit_keys/.test(sql)).length;

    expect(begun).toBeLessThan(32);
  });
});

describe('repeated clicks', () => {
  it.each<[string, number, Headers, number]>([
    ['within half an hour', 29 * 60_000, from('203.0.113.1'), 1],
    ['across the border of a window', 20 * 60_000, from('203.0.113.1'), 1],
    ['after half an hour', 30 * 60_000, from('203.0.113.1'), 2],
    ['from another agent', 0, from('203.0.113.1', 'B'), 2],
    ['from another address', 0, from('203.0.113.2'), 2],
  ])('%s', async (_name, later, headers, visits) => {
    t.clock.time += 15 * 60_000;
    await site.open(`/?ref=${alice.id}`, from('203.0.113.1'));
    t.clock.time += later;
    await site.open(`/other?ref=${alice.id}`, headers);

    expect(await counters()).toEqual([visits, 0]);
    expect(await rows()).toBe(visits);
  });

  it('keep the page and the campaign of the first one', async () => {
    await site.open(`/first?ref=${alice.id}&utm_campaign=one`, from('203.0.113.1'));
    await site.open(`/second?ref=${alice.id}&utm_campaign=two`, from('203.0.113.1'));

    const { body } = await t.admin.get('/visits').expect(200);
    expect(body.visits.data).toEqual([
      expect.objectContaining({ url: 'https://shop.test/first', utm_campaign: 'one' }),
    ]);
  });

  it('are counted when an extension switches the window off', async () => {
    t.service.hooks.addFilter('visit_dedup_window', () => 0);
    await site.open(`/?ref=${alice.id}`, from('203.0.113.1'));
    await site.open(`/?ref=${alice.id}`, from('203.0.113.1'));

    expect(await counters()).toEqual([2, 0]);
  });
});

describe('floods', () => {
  it('stop at a hundred new visits of an address until an hour has passed', async () => {
    const click = (agent: number): Promise<string> =>
      message(agent % 2 === 0 ? alice.id : bob.id, from('203.0.113.1', `x${agent}`));
    const first = await Promise.all(Array.from({ length: 120 }, (_, at) => click(at)));

    expect(first.filter((each) => each === 'success')).toHaveLength(100);
    expect(first.filter((each) => each === 'throttled')).toHaveLength(20);
    expect(await message(alice.id, from('203.0.113.2'))).toBe('success');
    t.clock.time += 59 * 60_000;
    expect(await click(200)).toBe('throttled');
    t.clock.time += 60_000;
    expect(await click(201)).toBe('success');
    expect((await counters()).reduce((sum, each) => sum + each, 0)).toBe(102);
  });

  it('follow the limit of an extension', async () => {
    t.service.hooks.addFilter('visit_flood_limit', () => 2);

    expect(await message(alice.id, from('203.0.113.1', 'a'))).toBe('success');
    expect(await message(alice.id, from('203.0.113.1', 'b'))).toBe('success');
    expect(await message(alice.id, from('203.0.113.1', 'c'))).toBe('throttled');
  });

  it('leave no row beyond the limit, but the visitor belongs to the affiliate', async () => {
    t.service.hooks.addFilter('visit_flood_limit', () => 3);
    const answers = [];
    for (let at = 0; at < 400; at++)
      answers.push(await site.open(`/?ref=${alice.id}`, from('203.0.113.1', `x${at}`)));
    await t.app.tracking.flush();

    expect(answers.filter((answer) => setCookie(answer) === null)).toEqual([]);
    expect(await rows()).toBe(3);
    const late = await site.track(
      { __aff_id__: String(alice.id), url: 'https://shop.test/' },
      from('203.0.113.1', 'late'),
    );
    expect([late.status, setCookie(late) !== null]).toEqual([429, true]);
    const foreign = await site.track(
      { __aff_id__: String(alice.id), url: 'https://shop.test/' },
      { ...from('203.0.113.1', 'late'), Origin: 'https://elsewhere.test' },
    );
    expect([foreign.status, setCookie(foreign)]).toEqual([429, null]);
    const cookie = cookieOf(answers.at(-1)!);
    expect((await t.service.tracking.attribution({ headers: { cookie } } as never))?.affiliate.id).toBe(
      alice.id,
    );
  });

  it('of calls end with 429, and pages go on', async () => {
    const call = (): Promise<number> =>
      site
        .track({ __aff_id__: 'nobody', url: 'https://shop.test/' }, from('2001:db8::1'))
        .then((answer) => answer.status);
    const statuses: number[] = [];
    for (let at = 0; at < 301; at++) statuses.push(await call());

    expect(statuses.filter((status) => status === 200)).toHaveLength(300);
    expect(statuses.at(-1)).toBe(429);
    const page = await site.open(`/?ref=${alice.id}`, from('2001:db8::ffff')).expect(200);
    expect(setCookie(page)).not.toBeNull();
    expect(await rows()).toBe(0);
    t.clock.time += 60_000;
    expect(await call()).toBe(200);
  });
});

describe('the address of a visitor', () => {
  const stored = async (headers: Headers): Promise<string | null> => {
    await site.open(`/?ref=${alice.id}`, headers);
    return (await t.admin.get('/visits').expect(200)).body.visits.data[0].ip;
  };

  it.each([
    ['198.51.100.7, 203.0.113.77', '203.0.113.0'],
    ['198.51.100.7, 203.0.113.77, 127.0.0.1', '203.0.113.0'],
    ['2001:db8:1:2::7', '2001:db8:1::'],
    ['::ffff:203.0.113.77', '203.0.113.0'],
    ['<script>', null],
  ])('forwarded as %s is stored as %s', async (forwarded, ip) => {
    expect(await stored(from(forwarded))).toBe(ip);
  });

  it('has the last word of an extension', async () => {
    t.service.hooks.addFilter('user_ip', () => '192.0.2.200');

    expect(await stored(from('203.0.113.77'))).toBe('192.0.2.0');
  });

  it('is not taken from headers of a peer that is no proxy', async () => {
    const plain = await startApp();
    const affiliate = await plain.records.affiliate({ user_id: 2 });
    await trackedSite(plain.app).open(`/?ref=${affiliate.id}`, from('203.0.113.77'));

    expect((await plain.admin.get('/visits').expect(200)).body.visits.data[0].ip).toBe('127.0.0.0');
  });
});

it('removes old visits and keeps the figures right', async () => {
  await site.open(`/?ref=${alice.id}`, from('203.0.113.1'));
  t.clock.time += 396 * 86_400_000;
  await site.open(`/?ref=${alice.id}`, from('203.0.113.1'));

  expect(await t.app.tracking.purge()).toEqual({ visits: 1, keys: 1 });
  expect(await rows()).toBe(1);
  expect(await counters()).toEqual([2, 0]);
});
