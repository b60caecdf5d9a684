import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startHarness, type Harness } from './harness.js';
import { fixtureRoutes } from './routes-fixture.js';

type Fields = Record<string, Record<string, string>>;

let t: Harness;
beforeAll(async () => {
  t = await startHarness(fixtureRoutes);
});
afterAll(() => t.close());

const rules = (errors: Fields): Record<string, string[]> =>
  Object.fromEntries(Object.entries(errors).map(([field, texts]) => [field, Object.keys(texts).sort()]));

describe('field rules', () => {
  it.each<[object, Record<string, string[]>]>([
    [{}, { title: ['required'] }],
    [{ title: null }, { title: ['required'] }],
    [{ title: '' }, { title: ['min', 'required'] }],
    [{ title: '  ' }, { title: ['min', 'required'] }],
    [{ title: 'ab' }, { title: ['min'] }],
    [{ title: 'a'.repeat(21) }, { title: ['max'] }],
    [{ title: 5 }, { title: ['string'] }],
    [{ title: ['abc'] }, { title: ['string'] }],
    [
      { title: 'abc', amount: 'x', rate: -1, count: 0 },
      { amount: ['numeric'], rate: ['min'], count: ['min'] },
    ],
    [{ title: 'abc', amount: -0.01 }, { amount: ['min'] }],
    [{ title: 'abc', amount: '99999999999.995' }, { amount: ['max'] }],
    [{ title: 'abc', amount: '1e400' }, { amount: ['max'] }],
    [{ title: 'abc', amount: {} }, { amount: ['numeric'] }],
    [{ title: 'abc', rate: '1.00001' }, { rate: ['numeric'] }],
    [{ title: 'abc', count: 1.5 }, { count: ['numeric'] }],
    [{ title: 'abc', email: 'nobody' }, { email: ['email'] }],
    [{ title: 'abc', url: 'javascript:alert(1)' }, { url: ['url'] }],
    [{ title: 'abc', url: '//x.test' }, { url: ['url'] }],
    [{ title: 'abc', day: '2026-02-30' }, { day: ['date'] }],
    [{ title: 'abc', active: 'maybe' }, { active: ['in'] }],
    [{ title: 'abc', status: 'x' }, { status: ['in'] }],
    [{ title: 'abc', ids: 'x' }, { 'ids.0': ['numeric'] }],
    [{ title: 'abc', ids: { a: 1 } }, { ids: ['array'] }],
    [{ title: 'abc', parent: 'x' }, { parent: ['numeric'] }],
    [{ title: 'abc', config: { label: '' } }, { 'config.label': ['min', 'required'] }],
    [{ title: 'abc', config: 'x' }, { config: ['array'] }],
    [{ title: 'abc', config: { label: 'x', flags: [1] } }, { 'config.flags.0': ['string'] }],
  ])('%j fails %j', async (sent, expected) => {
    const { body } = await t.send(1, 'post', '/things').send(sent).expect(422);
    expect(body).toMatchObject({
      code: 'validation_failed',
      data: { status: 422 },
      message: expect.stringMatching(/\.$/),
    });
    expect(rules(body.errors)).toEqual(expected);
    for (const field of Object.keys(expected)) expect(body[field]).toEqual(body.errors[field]);
  });

  it.each<[object, object]>([
    [
      { amount: ' 12.50', rate: '1.2500', count: '3', parent: '' },
      { amount: ' 12.50', rate: '1.2500', count: 3, parent: null },
    ],
    [
      { amount: '', rate: '', count: '', day: '', status: '', email: '', url: '', ids: '' },
      { email: '', url: '', ids: [] },
    ],
    [
      { ids: '7', active: 0 },
      { ids: [7], active: 'no' },
    ],
    [
      { ids: { 0: '7', 1: '8' }, active: 'TRUE' },
      { ids: [7, 8], active: 'yes' },
    ],
    [
      { note: 'a\r\nb<script>x</script>', email: ' A@b.test ' },
      { note: 'a\nb<script>x</script>', email: 'A@b.test' },
    ],
    [{ extra: { deep: [1, null] }, unknown: 1, user: { id: 5 } }, { extra: { deep: [1, null] } }],
    [
      { status: 'on', note: null, extra: null, parent: null },
      { status: 'on', extra: null, parent: null },
    ],
  ])('%j is read as %j', async (sent, expected) => {
    const { body } = await t
      .send(1, 'post', '/things')
      .send({ title: 'abc', ...sent })
      .expect(200);
    expect(body.body).toEqual({ title: 'abc', ...expected });
  });

  it('takes a query parameter where the body has none', async () => {
    const { body } = await t
      .send(1, 'post', '/things?title=from-query&note=n')
      .send({ title: 'from-body' })
      .expect(200);
    expect(body.body).toEqual({ title: 'from-body', note: 'n' });
  });

  it('reports no more than a hundred failures and never what was sent', async () => {
    const { body, text } = await t
      .send(1, 'post', '/things')
      .send({
        title: 'abc',
        config: { label: 'x', flags: Array.from({ length: 500 }, () => ({ '<img src=x>': 1 })) },
      })
      .expect(422);
    expect(Object.keys(body.errors)).toHaveLength(100);
    expect(text).not.toContain('<img');
  });
});

describe('list queries', () => {
  it.each([
    ['', { page: 1, per_page: 10, search: '', order_by: '', order_type: 'DESC' }],
    ['?page=0&per_page=0&order_type=up', { page: 1, per_page: 1, order_type: 'DESC' }],
    [
      '?page=x&per_page=x&order_type=asc&order_by=id',
      { page: 1, per_page: 10, order_type: 'ASC', order_by: 'id' },
    ],
    ['?page=2147483648&per_page=1000000000&order_by=id;drop', { page: 1, per_page: 200, order_by: '' }],
    [
      '?page=3&per_page=150&search=+%3Cb%3Ex%3C/b%3E+&ids[]=1&ids[]=2',
      { page: 3, per_page: 150, search: '<b>x</b>', ids: [1, 2] },
    ],
    ['?page[]=3&search[a]=b&per_page=-1', { page: 1, search: '', per_page: 1 }],
    [`?search=${'é'.repeat(300)}`, { search: 'é'.repeat(200) }],
  ])('%s never fails', async (query, expected) => {
    const { body } = await t.send(1, 'get', `/things${query.replace(/é/g, '%C3%A9')}`).expect(200);
    expect(body.query).toMatchObject(expected);
  });
});
