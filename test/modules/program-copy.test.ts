import { expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { storedRows } from '../support/rows.js';
import { listed } from '../support/lists.js';
import { dump } from '../imports/dump.js';

async function linesOf(t: TestApp): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of t.app.imports.exportProgram()) lines.push(line);
  return lines;
}

async function* stream(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

const factsOf = async (t: TestApp): Promise<number> => (await storedRows(t, 'order_facts')).length;

async function filled(): Promise<TestApp> {
  const t = await startApp();
  const group = await t.records.group({ meta_key: 'Gold' });
  const alice = await t.records.affiliate({
    user_id: 2,
    rate_type: 'group',
    group_id: group.id,
    custom_param: 'ally',
  });
  await t.records.affiliate({ user_id: 3 });
  await t.records.visit({ affiliate_id: alice.id });
  await t.app.conversions.bindCoupon('shop', 'ALLY', alice.id);
  const result = await t.app.conversions.record(null, {
    provider: 'shop',
    reference: 'A-1',
    type: 'sale',
    status: 'unpaid',
    coupon: 'ALLY',
    order: { subtotal: '100.00', discount: '10.00' },
    customer: { email: 'jo@buyer.test' },
  });
  expect(result.created).toBe(true);
  await t.records.referral({ affiliate_id: alice.id, amount: '12.34' });
  await t.records.payout();
  await t.records.referral({ affiliate_id: alice.id, amount: '7.00' });
  return t;
}

it('copies a program with its ids, groups, payouts and facts', async () => {
  const from = await filled();
  const lines = await linesOf(from);
  const before = await dump(from.app.db);
  const facts = await factsOf(from);
  expect(facts).toBeGreaterThan(0);

  const to = await startApp();
  await to.app.imports.importProgram(stream(lines));
  expect(await dump(to.app.db)).toEqual(before);
  expect(await factsOf(to)).toBe(facts);
  expect(await to.service.verify()).toEqual([]);
  // the next rows have ids behind the copied ones, and a later refund finds its order
  expect((await to.records.affiliate({ user_id: 4 })).id).toBeGreaterThan(2);
  expect(await to.app.tracking.resolveParam('ally')).toMatchObject({ id: 1 });
  expect((await to.app.conversions.find('shop', { reference: 'A-1' }))?.affiliate_id).toBe(1);
  await expect(to.app.imports.importProgram(stream(lines))).rejects.toMatchObject({
    code: 'import_not_empty',
  });
});

/** The rows of a table with other values. */
const changed =
  (table: string, values: object) =>
  (lines: readonly string[]): string[] =>
    lines.map((line) => {
      const parsed = JSON.parse(line) as [string, object];
      return parsed[0] === table ? JSON.stringify([table, { ...parsed[1], ...values }]) : line;
    });

it.each([
  ['a file that is cut off', (lines: readonly string[]) => lines.slice(0, -1)],
  ['a file that lost a row', (lines: readonly string[]) => lines.toSpliced(3, 1)],
  ['another file', () => ['{"format":"something"}']],
  ['no file', () => []],
  ['no JSON', (lines: readonly string[]) => [...lines.slice(0, 2), 'x']],
  [
    'another schema',
    (lines: readonly string[]) => [
      lines[0]?.replace(/\b\d{3}-(?!\d)[\w-]+/, '000-none') ?? '',
      ...lines.slice(1),
    ],
  ],
  [
    'a table of its own',
    (lines: readonly string[]) => [lines[0] ?? '', '["schema_steps",{"id":"x"}]', '{"rows":1}'],
  ],
  ['a line that says nothing', (lines: readonly string[]) => [lines[0] ?? '', 'null', 'null']],
  ['a list for a row', (lines: readonly string[]) => [lines[0] ?? '', '["options",["a"]]', '{"rows":1}']],
  ['a column of its own', changed('affiliates', { evil: 1, '"; --': 1 })],
  ['a list for a value', changed('affiliates', { note: [['x']] })],
  ['a value that is missing', changed('affiliates', { status: null })],
  ['an id that is text', changed('affiliates', { id: 'x' })],
])('stores nothing of %s', async (_name, change) => {
  const lines = change(await linesOf(await filled()));
  const to = await startApp();
  await expect(to.app.imports.importProgram(stream(lines))).rejects.toMatchObject({
    code: 'import_file_invalid',
  });
  expect(await listed(to, '/affiliates')).toEqual([]);
});
