import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startHarness, type Harness } from './harness.js';
import { fixtureRoutes } from './routes-fixture.js';

describe.each([
  { express: 5, parsed: false },
  { express: 5, parsed: true },
  { express: 4, parsed: false },
  { express: 4, parsed: true },
] as const)('router in Express $express, body parsed by the host: $parsed', (settings) => {
  let t: Harness;
  beforeAll(async () => {
    t = await startHarness(fixtureRoutes, settings);
  });
  afterAll(() => t.close());

  it.each([
    ['/things/7', 200],
    ['/THINGS/7', 200],
    ['/things/7/', 200],
    ['/settings/things/7', 200],
    ['/things/abc', 404],
    ['/things/7//', 404],
    ['/things/-1', 404],
    ['/things/1.5', 404],
    ['/things/0', 404],
    ['/things/9007199254740993', 404],
    ['/things/%zz', 404],
    ['/things/%37', 200],
    ['/nothing', 404],
    ['/', 404],
    ['/things/7;x=1', 404],
    ['/things/7?x=/a/b', 200],
    ['/things//', 404],
    ['/%74hings/7', 404],
    ['/things/%65xport', 404],
    ['/things/7/8', 404],
  ])('GET %s answers %i', async (path, status) => {
    const { body } = await t.send(1, 'get', path).expect(status);
    if (status === 404) expect(body).toMatchObject({ code: 'rest_no_route', data: { status: 404 } });
    else expect(body.id).toBe(7);
  });

  it.each(['put', 'options'] as const)('answers 404 to the unknown verb %s', async (verb) => {
    const { body } = await t.send(1, verb, '/things/7').expect(404);
    expect(body.code).toBe('rest_no_route');
  });

  it('answers HEAD as GET, without a body', async () => {
    const { headers, text } = await t.send(1, 'head', '/things/7').expect(200);
    expect([Number(headers['content-length']) > 0, text]).toEqual([true, undefined]);
    await t.send(1, 'head', '/things/abc').expect(404);
  });

  it('prefers a literal segment to a parameter', async () => {
    const { headers } = await t.send(1, 'get', '/things/export').expect(200);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
  });

  it('gives the absolute address without query for page envelopes', async () => {
    const { body } = await t.send(1, 'get', '/things/?page=2').expect(200);
    expect(body.url).toBe('https://shop.test/wp-json/affiliate-service/v2/things');
  });

  it('reads JSON and forms into the same object', async () => {
    const asJson = await t
      .send(1, 'post', '/things')
      .send({
        title: ' <b>Abc</b> ',
        ids: [3, 4],
        config: { label: 'x', flags: ['a'] },
        count: 2,
        active: true,
      })
      .expect(200);
    const asForm = await t
      .send(1, 'post', '/things')
      .type('form')
      .send(
        'title=+%3Cb%3EAbc%3C%2Fb%3E+&ids[]=3&ids[]=4&config[label]=x&config%5Bflags%5D%5B%5D=a&count=2&active=true&query_timestamp=1',
      )
      .expect(200);
    expect(asJson.body.body).toEqual({
      title: '<b>Abc</b>',
      ids: [3, 4],
      config: { label: 'x', flags: ['a'] },
      count: 2,
      active: 'yes',
    });
    expect(asForm.body.body).toEqual(asJson.body.body);
    expect([asJson.body.form, asForm.body.form]).toEqual([false, true]);
    expect(asForm.body.submitted.query_timestamp).toBe('1');
  });

  it('takes a list of 1,000 ids in a form', async () => {
    const ids = Array.from({ length: 1000 }, (_, i) => i + 1);
    const { body } = await t
      .send(1, 'post', '/things')
      .type('form')
      .send(`title=abc&${ids.map((id) => `ids[]=${id}`).join('&')}`)
      .expect(200);
    expect(body.body.ids).toEqual(ids);
  });

  it('tunnels PATCH and DELETE through POST with the header only', async () => {
    const patched = await t
      .send(1, 'post', '/things/7')
      .set('X-HTTP-Method-Override', 'PATCH')
      .send({ title: 'New' })
      .expect(200);
    expect(patched.body).toEqual({ id: 7, body: { title: 'New' } });
    await t
      .send(1, 'post', '/things/7')
      .set('X-HTTP-Method-Override', 'delete')
      .send({ query_timestamp: 5 })
      .expect(200, { deleted: 7 });
    await t.send(1, 'get', '/things/7').set('X-HTTP-Method-Override', 'DELETE').expect(200);
    await t.send(1, 'post', '/things/7?_method=DELETE').expect(404);
  });

  it('answers malformed JSON with 400, also to the anonymous', async () => {
    if (settings.parsed) return; // the host's parser has answered already
    const { body } = await t.send(0, 'post', '/things').type('json').send('{"a":').expect(400);
    expect(body).toEqual({
      code: 'rest_invalid_json',
      message: 'The request body is not valid JSON.',
      data: { status: 400 },
    });
  });

  it('sets the common headers on every answer', async () => {
    const { headers } = await t.send(0, 'get', '/nothing').set('X-Request-Id', 'abc-12345').expect(404);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store, private',
      'x-request-id': 'abc-12345',
      'content-type': 'application/json; charset=UTF-8',
    });
  });
});
