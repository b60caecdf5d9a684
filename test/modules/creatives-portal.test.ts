import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import type { Wire } from '../support/records.js';
import { statementsOf } from '../support/statements.js';

const IMAGE = { name: 'Summer banner', image: 'https://x.org/b.png', url: 'https://shop.test/sale/?a=1#top' };
const MINUTE = 60_000;

const create = async (t: TestApp, body: Readonly<Record<string, unknown>>): Promise<Wire> =>
  (
    await t.admin
      .post('/creatives/creatives')
      .send({ ...IMAGE, ...body })
      .expect(200)
  ).body.creative;

describe.each(['/creativescreatives', '/portal/creatives'])('the list of an affiliate under %s', (path) => {
  it('holds what is active and meant for it, without internals', async () => {
    const t = await startApp({ timeZone: 'America/New_York' });
    const group = await t.records.group();
    const alice = await t.records.affiliate({ user_id: 2 });
    const bob = await t.records.affiliate({ user_id: 3, group_id: group.id });
    const names = async (user: number, query = ''): Promise<string[]> =>
      (
        await t
          .as(user)
          .get(path + query)
          .expect(200)
      ).body.creatives.data.map(({ name }: { name: string }) => name);
    await create(t, {
      name: 'All',
      meta: { notes: 'secret', attachment_id: 5, end_time: '2026-01-15 11:00', media_width: 3, tier: 'x' },
    });
    t.clock.advance(1000);
    await create(t, { name: 'Alice', privacy: 'private', affiliate_ids: [alice.id] });
    t.clock.advance(1000);
    await create(t, { name: 'Group', privacy: 'private', group_ids: [group.id] });
    await create(t, { name: 'Off', status: 'inactive' });
    await create(t, { name: 'Soon', status: 'scheduled', meta: { start_time: '2026-01-15 10:30' } });

    expect(await names(2)).toEqual(['Alice', 'All']);
    expect(await names(3)).toEqual(['Group', 'All']);
    expect(await names(3, '?search=gro&status=inactive')).toEqual(['Group']);
    const { body } = await t.as(2).get(`${path}?per_page=1&page=2&affiliate_id=${bob.id}`).expect(200);
    expect(body.creatives).toMatchObject({ total: 2, per_page: 1, current_page: 2 });
    expect(body.creatives.data).toEqual([
      {
        id: expect.any(Number),
        name: 'All',
        description: '',
        type: 'image',
        image: 'https://x.org/b.png',
        text: '',
        url: IMAGE.url,
        meta: { media_width: 3 },
        human_updated_at: '15 Jan 2026, 10:00',
        created_at: '2026-01-15T15:00:00+00:00',
        updated_at: '2026-01-15T15:00:00+00:00',
      },
    ]);
    t.clock.advance(65 * MINUTE);
    expect(await names(2)).toEqual(['Soon', 'Alice']);
  });

  it('puts the tracked address into html', async () => {
    const t = await startApp();
    const alice = await t.records.affiliate({ user_id: 2 });
    const { id } = await create(t, {
      type: 'html',
      text: '<p title="{{affiliate_link}}">{{affiliate_link}}</p>',
      url: 'https://shop.test/p?a=1',
    });
    const { body } = await t.as(2).get(path).expect(200);
    const link = `https://shop.test/p?a=1&amp;ref=${alice.id}`;
    expect(body.creatives.data[0].text).toBe(`<p title="${link}">${link}</p>`);
    const affiliate = await t.app.affiliates.get(alice.id);
    expect(await t.app.creatives.embedCode(id, affiliate)).toBe(body.creatives.data[0].text);
    const picture = await create(t, { name: 'A "b"', meta: { media_width: 3 } });
    expect(await t.app.creatives.embedCode(picture.id, affiliate)).toBe(
      `<a href="https://shop.test/sale/?a=1&amp;ref=${alice.id}#top" rel="sponsored"><img src="https://x.org/b.png" alt="A &quot;b&quot;" width="3"></a>`,
    );
  });

  it('reads the code for the link in every spelling, keeps rel, and puts parameters before the fragment', async () => {
    const t = await startApp();
    const alice = await t.records.affiliate({ user_id: 2 });
    const link = `https://shop.test/p?a=1&amp;ref=${alice.id}`;
    const given = async (html: string): Promise<string> => {
      const { id } = await create(t, { type: 'html', text: html, url: 'https://shop.test/p?a=1' });
      return (await t.app.creatives.embedCode(id, await t.app.affiliates.get(alice.id))) ?? '';
    };
    for (const code of [
      '{{affiliate_link}}',
      '{{ affiliate_link }}',
      '{{&nbsp;affiliate_link&nbsp;}}',
      '%7B%7Baffiliate_link%7D%7D',
      '%7b%7b%20affiliate_link%20%7d%7d',
      '%7B%7Baffiliate%5Flink%7D%7D',
      'http://{{affiliate_link}}',
      'https://%7B%7Baffiliate_link%7D%7D/',
      '&#123;&#123;AFFILIATE_LINK&#125;&#125;',
    ])
      expect([code, await given(`<a href="${code}">x</a>`)]).toEqual([
        code,
        `<a rel="sponsored" href="${link}">x</a>`,
      ]);
    for (const [written, kept] of [
      ['rel="sponsored nofollow"', 'rel="sponsored nofollow"'],
      ['rel="nofollow"', 'rel="nofollow"'],
      ['target="_blank"', 'target="_blank" rel="sponsored noopener noreferrer"'],
      ['target="_blank" rel="ugc"', 'target="_blank" rel="ugc noopener noreferrer"'],
    ])
      expect(await given(`<a href="{{affiliate_link}}" ${written}>x</a>`)).toBe(
        `<a href="${link}" ${kept}>x</a>`,
      );
    for (const [written, joined] of [
      ['#top', `${link}#top`],
      ['?utm_source=a', `${link}&amp;utm_source=a`],
      ['&amp;utm_source=a#top', `${link}&amp;utm_source=a#top`],
      ['#top?utm_source=a', `${link}&amp;utm_source=a#top`],
      ['#/cart?step=1', `${link}#/cart?step=1`],
    ])
      expect(await given(`<a href="{{affiliate_link}}${written}">x</a>`)).toContain(`href="${joined}"`);
    expect(await given('<a href="https://other.test">y</a> <a href="{{affiliate_link}}">x</a>')).toBe(
      `<a href="https://other.test">y</a> <a rel="sponsored" href="${link}">x</a>`,
    );

    const without = { ...IMAGE, type: 'html', text: '<a href="https://shop.test">x</a>' };
    const { body } = await t.admin.post('/creatives/creatives').send(without).expect(422);
    expect(body.errors.text).toHaveProperty('affiliate_link');
  });

  it.each([
    [2, 'pending'],
    [2, 'inactive'],
    [3, 'active'],
    [1, 'active'],
  ])('answers 422 to user %s with an affiliate that is %s', async (user, status) => {
    const t = await startApp();
    await t.records.affiliate({ user_id: 2, status });
    const { body } = await t.as(user).get(path).expect(422);
    expect(body.code).toBe('affiliate_not_found');
  });

  it('asks the same number of queries however many rows', async () => {
    const t = await startApp();
    await t.records.affiliate();
    const count = async (): Promise<number> =>
      (await statementsOf(t, () => t.as(2).get(path).expect(200))).length;
    await create(t, {});
    await count();
    const baseline = await count();
    for (let at = 0; at < 9; at += 1) await create(t, {});
    expect(await count()).toBe(baseline);
  });
});
