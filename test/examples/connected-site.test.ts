import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startExample, type RunningExample } from './start-example.mjs';
import { Visitor } from './visitor.mjs';

// Two sites on two ports, started by one command; `npm run build` makes them.
let example: RunningExample;
let storeUrl: string;
beforeAll(async () => {
  example = await startExample('connected-site');
  while (!/Open /.test(example.output()))
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  storeUrl = /Store: +(\S+)/.exec(example.output())?.[1] ?? '';
});
afterAll(async () => {
  expect(await example.stop()).toBe(0);
});

const linkOf = (html: string): string => (/<a href="([^"]+)"/.exec(html)?.[1] ?? '').replaceAll('&amp;', '&');

describe('two connected sites', () => {
  it('credit a sale on the second one, and its refund', async () => {
    const visitor = new Visitor(storeUrl);
    const landing = await visitor.open('/?ref=1&utm_source=blog');
    expect(decodeURIComponent(landing.headers.get('set-cookie') ?? '')).toMatch(
      /^f_aff_\d+=1\|\d+\|\d+\|\w+\|[\w-]+; Max-Age=2592000; Path=\/; SameSite=Lax$/,
    );
    const { body } = await visitor.post('/buy', {});
    expect(body).toMatchObject({
      created: true,
      referral: { reference: body.reference, status: 'unpaid', amount: 5, affiliate_id: 1 },
    });
    expect((await visitor.post(`/orders/${body.reference}/refund`, {})).body.referral).toMatchObject({
      id: body.referral.id,
      amount: 2.5,
    });
    expect((await visitor.post(`/orders/${body.reference}/refund`, {})).body.referral).toMatchObject({
      id: body.referral.id,
      amount: 2.5,
    });
  });

  it('are one journey: from the second site to a sale on the primary, with one visit', async () => {
    const visitor = new Visitor(storeUrl);
    const link = new URL(linkOf((await visitor.open('/?ref=1&utm_source=blog')).text));
    const visitId = Number(link.searchParams.get('visit_id'));
    expect([
      link.origin,
      link.searchParams.get('ref'),
      link.searchParams.get('utm_source'),
      visitId > 0,
    ]).toEqual([example.url, '1', 'blog', true]);

    const there = new Visitor(example.url);
    const landing = await there.open(link.pathname + link.search);
    expect(decodeURIComponent(landing.headers.get('set-cookie') ?? '')).toMatch(
      new RegExp(`f_aff\\w*=1\\|${visitId}\\|`),
    );
    expect((await there.post('/buy', {})).body.referral).toMatchObject({
      affiliate_id: 1,
      amount: 10,
      visit_id: visitId,
    });
  });

  it('lose nothing while they are disconnected', async () => {
    const visitor = new Visitor(storeUrl);
    await visitor.open('/?ref=1');
    const primary = new Visitor(example.url);
    await primary.post('/demo/disconnect', {});
    const { body } = await visitor.post('/buy', {});
    expect(body).toMatchObject({ referral: null, queued: true });
    expect((await visitor.post(`/orders/${body.reference}/refund`, {})).body).toEqual({
      referral: null,
      queued: true,
    });
    const text = (await primary.post('/demo/connect', {})).text;
    const answer = await fetch(`${storeUrl}/connect`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain' },
      body: text,
    });
    expect(await answer.json()).toEqual({ waiting: 0 });
    expect((await visitor.post(`/orders/${body.reference}/refund`, {})).body.referral).toMatchObject({
      amount: 2.5,
      affiliate_id: 1,
    });
  });

  it('credit nobody without an affiliate', async () => {
    const visitor = new Visitor(storeUrl);
    expect(linkOf((await visitor.open('/')).text)).toBe(`${example.url}/`);
    expect((await visitor.post('/buy', {})).body).toMatchObject({ referral: null, ignored: 'no_affiliate' });
    const landing = await visitor.open('/?ref=nobody');
    expect([landing.status, landing.headers.get('set-cookie')]).toEqual([200, null]);
  });
});
