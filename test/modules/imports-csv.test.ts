import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { csvMigrator, type CsvSource } from '../../src/index.js';
import {
  currencyIn,
  isAmbiguousDate,
  plainAmount,
  plainDate,
} from '../../src/channels/imports/csv/values.js';
import { startApp, type TestApp } from '../support/app.js';
import { temporaryFolder } from '../support/folders.js';
import { EXAMPLES } from '../../console/admin/settings/import-examples.js';
import { listed } from '../support/lists.js';

describe('values of files', () => {
  it.each([
    ['€ 1.234,50', { decimalMark: 'comma' }, '1234.50'],
    ['$1,234.50', {}, '1234.50'],
    ["1'234.5", {}, '1234.5'],
    ['1 234,5 €', { decimalMark: 'comma' }, '1234.5'],
    ['(12.00)', {}, '-12.00'],
    ['-3', {}, '-3'],
    ['12,50', { decimalMark: 'comma' }, '12.50'],
    ['12,50', {}, '12,50 with another decimal mark'],
    ['12.34.56', {}, '12.34.56 with another decimal mark'],
    ['12.34.56', { minorUnits: true }, '12.34.56 with another decimal mark'],
    ['1,23,456.00', {}, '123456.00'],
    ['1,234', {}, '1234'],
    ['1.234', {}, '1.234'],
    ['1.234', { decimalMark: 'comma' }, '1234'],
    ['1,234', { decimalMark: 'comma' }, '1.234'],
    ['1.234.567', { decimalMark: 'comma' }, '1234567'],
    ['1250', { minorUnits: true }, '12.50'],
    ['5', { minorUnits: true }, '0.05'],
    ['EUR 7.00', {}, '7.00'],
    ['abc', {}, 'abc'],
    ['Rs. 500.00', {}, '500.00'],
    ['Rs.500.00', {}, '500.00'],
    ['kr. 1.234,50', { decimalMark: 'comma' }, '1234.50'],
    ['5.–', {}, '5'],
    ['.50', {}, '0.50'],
    ["'-5", {}, '-5'],
    ['1\u202f234,50\u00a0€', { decimalMark: 'comma' }, '1234.50'],
    ['1e21', {}, '1e21'],
    ['1E+03', {}, '1E+03'],
    ['1E+03', { minorUnits: true }, '1E+03 smallest units'],
    ['=1+1', {}, '=1+1'],
    ['0x5', {}, '0x5'],
    ['5-3', {}, '5-3'],
    ['10%', {}, '10%'],
  ] as const)('reads the amount %p with %p as %p', (text, forms, plain) => {
    expect(plainAmount(text, 'USD', forms)).toBe(plain);
  });

  it.each([
    ['2024-03-05', {}, '2024-03-05 00:00:00'],
    ['2024-03-05T10:00:00Z', {}, '2024-03-05T10:00:00Z'],
    ['2024-03-05 10:00:00 +02:00', {}, '2024-03-05T10:00:00+02:00'],
    ['2024-03-05 10:00:00 UTC', {}, '2024-03-05T10:00:00Z'],
    ['05/03/2024', { dates: 'day-first' }, '2024-03-05 00:00:00'],
    ['03/05/2024 1:30 PM', { dates: 'month-first' }, '2024-03-05 13:30:00'],
    ['25/03/2024', {}, '2024-03-25 00:00:00'],
    ['5.3.2024 09:05', {}, '2024-03-05 09:05:00'],
    ['Mar 5, 2024', {}, '2024-03-05 00:00:00'],
    ['March 5, 2024 at 12:15 AM', {}, '2024-03-05 00:15:00'],
    ['5 March 2024', {}, '2024-03-05 00:00:00'],
    ['1709634600', {}, 1_709_634_600_000],
    ['1709634600000', {}, 1_709_634_600_000],
    ['soon', {}, 'soon'],
  ] as const)('reads the date %p with %p as %p', (text, forms, plain) => {
    expect(plainDate(text, forms)).toBe(plain);
  });

  it('finds dates and currencies that only a person can decide', () => {
    expect(['03/04/2024', '13/04/2024', '3.4.2024', '04/04/2024'].map(isAmbiguousDate)).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect([currencyIn('USD 12'), currencyIn('12 eur'), currencyIn('€12'), currencyIn('abc')]).toEqual([
      'USD',
      'EUR',
      null,
      null,
    ]);
  });
});

const folder = temporaryFolder();
let number = 0;
function file(content: string): { path: string } {
  const path = join(folder, `${(number += 1)}.csv`);
  writeFileSync(path, content);
  return { path };
}

async function moved(source: CsvSource, settings: object = {}): Promise<TestApp> {
  const t = await startApp({ migrators: [csvMigrator(source)] });
  await t.app.imports.start('csv', false, settings);
  await t.app.imports.run('csv');
  return t;
}

it('reads the example files of the console', async () => {
  const files = Object.entries(EXAMPLES).map(([name, content]) => [name, file(content)]);
  const t = await moved(Object.fromEntries(files) as CsvSource, { currency: 'USD' });
  const report = await t.app.imports.report('csv');
  expect([report?.skipped, report?.unread]).toEqual([{}, []]);
  expect((await listed(t, '/coupons')).map(({ code }) => code)).toEqual(['ANN10']);
});

it('keeps names and what is owed to people without an account, and finds affiliates who are here', async () => {
  const affiliates = file('Name,E-mail\nPia Old,pia.old@x.test\nRosa Old,rosa.old(at)x.test\n');
  const commissions = file(
    'Order,Affiliate e-mail,Commission\nA1,pia.old@x.test,10.00\nA2,rosa.old(at)x.test,4.00\nA3,alice@shop.test,5.00\nA4,no@x.test,1.00\n',
  );
  const defaultStatus = { affiliates: 'active', commissions: 'unpaid' };
  const t = await startApp({ migrators: [csvMigrator({ affiliates, commissions, defaultStatus })] });
  const alice = await t.records.affiliate({ user_id: 2 });

  const { trial } = (
    await t.admin.post('/settings/migrations/check').send({ migrator: 'csv', currency: 'USD' }).expect(200)
  ).body.setup;
  expect(trial.stages.referrals).toMatchObject({ imported: 3, skipped: 1 });
  expect(trial.left_out).toMatchObject([{ stage: 'referrals', line: 5, reason: 'affiliate_missing' }]);

  await t.app.imports.start('csv', false, { currency: 'USD' });
  await t.app.imports.run('csv');
  const rows = await listed(t, '/affiliates');
  expect(rows.map((row) => [row.user.full_name, row.payment_email, row.unpaid_earnings])).toEqual([
    ['Alice Doe', 'pay@example.test', 5],
    ['Pia Old', 'pia.old@x.test', 10],
    ['Rosa Old', null, 4],
  ]);
  expect((await t.admin.get(`/affiliates/${rows[2].id}`).expect(200)).body.affiliate).toMatchObject({
    user_id: null,
    user_details: { full_name: 'Rosa Old' },
  });
  const { affiliates: options } = (
    await t.admin.get(`/settings/options/affiliates?include_ids[]=${rows[1].id}`).expect(200)
  ).body;
  expect(options).toContainEqual({ id: rows[1].id, full_name: 'Pia Old' });
  expect(alice.id).toBe(rows[0].id);
});

it('moves six files of a hosted system in, by e-mail, token or id', async () => {
  const t = await moved({
    preset: 'rewardful',
    affiliates: file(
      'ID,Email,First Name,State,Token,Campaign,PayPal Email,Created At\n' +
        'a1,alice@shop.test,Alice,active,alice-links,Gold,pay@alice.test,2024-01-02T03:04:05Z\n' +
        'a2,bob@shop.test,Bob,disabled,Bobby,,,"Mar 5, 2024"\n',
    ),
    customers: {
      ...file(
        'Stripe Customer ID,Email,Name,Affiliate ID,Created At\ncus_1,buyer@x.test,Jo Doe,a1,2024-02-01T00:00:00Z\n',
      ),
      columns: { email: 'Email' },
    },
    commissions: file(
      'ID,Affiliate Email,Token,Amount,Currency,State,Stripe Customer ID,Sale Amount,Stripe Charge ID,Payout ID,Created At,Strange\n' +
        'c1,alice@shop.test,,"$1,200.50",USD,paid,cus_1,"$12,005.00",ch_1,p1,2024-02-01T00:00:00Z,x\n' +
        'c2,,alice-links,10.00,USD,due,cus_1,100.00,ch_2,,2024-02-02T00:00:00Z,\n' +
        'c3,,BOBBY,5,USD,voided,,,ch_3,,2024-02-03T00:00:00Z,\n' +
        'c4,nobody@x.test,,7,USD,due,,,ch_4,,2024-02-03T00:00:00Z,\n',
    ),
    clicks: file(
      'ID,Affiliate Token,URL,Created At\nk1,alice-links,https://shop.test/?via=alice-links,1709634600\n',
    ),
    payouts: file(
      'ID,Affiliate ID,Amount,Currency,State,Paid At\np1,a1,1200.50,USD,completed,2024-03-01T00:00:00Z\n',
    ),
    coupons: file('Code,Affiliate ID,Provider\nALICE20,a1,stripe\n'),
  });
  const report = await t.app.imports.report('csv');
  expect(report?.unread).toEqual([{ table: 'commissions', column: 'Strange', rows: 1 }]);
  expect(report?.skipped).toEqual({ affiliate_missing: 1 });
  expect(report?.links).toMatchObject({ wrong: [] });
  const { rows } = await t.app.imports.compareAffiliates('csv');
  expect(rows.map(({ source_id: id, balances, differs }) => [id, differs, balances[0]?.here])).toEqual([
    ['a1', false, { unpaid_minor: 1000, processing_minor: 0, paid_minor: 120_050 }],
    ['a2', false, undefined],
  ]);
  const [alice, bob] = await listed(t, '/affiliates');
  expect([alice, bob].map((row) => [row.status, row.custom_param, row.user_id, row.payment_email])).toEqual([
    ['active', 'alice-links', 2, 'pay@alice.test'],
    ['inactive', 'bobby', 3, 'bob@shop.test'],
  ]);
  expect(Date.parse(bob.created_at)).toBe(Date.UTC(2024, 2, 5));
  expect(await listed(t, '/coupons')).toMatchObject([{ code: 'ALICE20', provider: 'stripe' }]);
  const [customer] = await listed(t, '/customers');
  expect([customer.first_name, customer.last_name, customer.by_affiliate_id]).toEqual([
    'Jo',
    'Doe',
    alice.id,
  ]);
  expect((await listed(t, '/referrals')).map((row) => row.customer_id)).toContain(customer.id);
  expect((await t.app.tracking.resolveLink('via', 'ALICE-links'))?.id).toBe(alice.id);
  expect(await listed(t, `/affiliates/${alice.id}/transactions`)).toMatchObject([{ status: 'paid' }]);
});

it('counts a balance of the old system by the meaning given to its words', async () => {
  const t = await moved(
    {
      affiliates: file('ID,Email,Status\na1,alice@shop.test,active\n'),
      commissions: file(
        'ID,Affiliate ID,Amount,Currency,Status\nc1,a1,12.50,USD,Settled\nc2,a1,3,USD,void\n',
      ),
    },
    { status_words: { settled: 'unpaid', void: 'rejected' } },
  );
  const { rows } = await t.app.imports.compareAffiliates('csv');
  expect(rows.map(({ balances, differs }) => [differs, balances.map(({ source }) => source)])).toEqual([
    [false, [{ unpaid_minor: 1250, processing_minor: 0, paid_minor: 0 }]],
  ]);
});

it('stores commissions in short transactions, because orders wait for each of them', async () => {
  const rows = Array.from({ length: 700 }, (_, at) => `c${at},a1,1.00,USD,unpaid`);
  const t = await moved({
    affiliates: file('ID,Email,Status\na1,alice@shop.test,active\n'),
    commissions: file(`ID,Affiliate ID,Amount,Currency,Status\n${rows.join('\n')}\n`),
  });
  const batches = (await listed(t, '/audit', 'action=import.batch'))
    .map(({ after }) => after)
    .filter(({ stage }) => stage === 'referrals');
  expect(batches.map(({ imported }) => imported)).toEqual([200, 200, 200, 100]);
});

it.each([
  [
    'a misspelled column',
    { commissions: ['Affiliate ID,Amount\n1,2\n', { amount: 'Amuont' }] },
    /no column "Amuont"/,
  ],
  [
    'a misspelled name of ours',
    { commissions: ['Affiliate ID,Amount\n1,2\n', { amuont: 'Amount' }] },
    /unknown column "amuont"/,
  ],
  ['a file without amounts', { commissions: ['Affiliate ID,Size\n1,2\n', {}] }, /no column for amount/],
  ['ambiguous dates', { affiliates: ['ID,Created At\n1,03/04/2024\n', {}] }, /--dates/],
  ['a currency nobody names', { commissions: ['Affiliate ID,Amount,Status\n1,2,paid\n', {}] }, /--currency/],
  [
    'a status nobody knows',
    { commissions: ['Affiliate ID,Amount,Currency,Status\n1,2,USD,limbo\n', {}] },
    /"limbo" in 1 row/,
  ],
  [
    'an open quote',
    { commissions: [`Affiliate ID,Amount,Currency\n1,"2,USD\n${'x'.repeat(70_000)}`, {}] },
    /missing quote/,
  ],
] as const)('refuses %s before anything is read', async (_name, files, message) => {
  const source = Object.fromEntries(
    Object.entries(files as Record<string, readonly [string, Record<string, string>]>).map(
      ([name, [content, columns]]) => [name, { ...file(content), columns }],
    ),
  ) as CsvSource;
  const t = await startApp({ migrators: [csvMigrator(source)] });
  await expect(t.app.imports.start('csv')).rejects.toThrow(message);
  await t.admin.post('/settings/migrations/start').send({ migrator: 'csv' }).expect(422);
  expect(await t.app.imports.report('csv')).toBeNull();
});

it('takes its own exports in again without loss', async () => {
  const from = await startApp();
  const group = await from.records.group({ meta_key: 'Gold', rate_type: 'percentage', rate: 30 });
  const affiliate = await from.records.affiliate({
    user_id: 2,
    rate_type: 'group',
    group_id: group.id,
    custom_param: 'ally',
  });
  for (const status of ['pending', 'unpaid'] as const)
    await from.records.referral({
      affiliate_id: affiliate.id,
      status,
      amount: '12.34',
      description: '=1+1',
    });
  const text = async (path: string): Promise<string> =>
    (await from.admin.get(path).set('Accept', 'text/csv').expect(200)).text;
  const files = {
    affiliates: file(await text('/affiliates/export')),
    commissions: file(await text('/referrals/export')),
  };
  const to = await moved({ ...files });
  expect((await to.app.imports.report('csv'))?.skipped).toEqual({});
  expect(await listed(to, '/referrals')).toContainEqual(
    expect.objectContaining({
      status: 'unpaid',
      amount: 12.34,
      currency: 'USD',
      provider: 'manual',
      description: '=1+1',
    }),
  );
  expect(await to.app.affiliates.findByUser(2)).toMatchObject({
    rate_type: 'group',
    custom_param: 'ally',
    user_id: 2,
  });
});

describe('files over REST', () => {
  const AFFILIATES = 'ID,Email,Status\n1,alice@shop.test,active\n';
  const COMMISSIONS = `ID,Affiliate Email,Commish,Currency,Status\n${Array.from({ length: 3000 }, (_, n) => `${n + 1},alice@shop.test,1.00,USD,due`).join('\n')}\n`;

  it('are shown with their first rows and mapping, and imported', async () => {
    const t = await startApp();
    const { body } = await t.admin
      .post('/settings/migrations/files')
      .field('settings', JSON.stringify({ columns: { commissions: { amount: 'Commish' } } }))
      .attach('affiliates', Buffer.from(AFFILIATES), 'a.csv')
      .attach('commissions', Buffer.from(COMMISSIONS), 'c.csv')
      .expect(200);
    expect(body.problem).toBeNull();
    expect(body.files.commissions).toMatchObject({
      columns: ['ID', 'Affiliate Email', 'Commish', 'Currency', 'Status'],
      mapping: { id: 'ID', affiliate_email: 'Affiliate Email', amount: 'Commish', currency: 'Currency' },
    });
    expect(body.files.commissions.rows).toHaveLength(5);
    await t.admin.post('/settings/migrations/start').send({ migrator: 'csv' }).expect(200);
    await t.app.imports.run('csv');
    expect(await t.app.affiliates.findByUser(2)).toMatchObject({
      referrals: 3000,
      unpaid_earnings_minor: 300_000,
    });
    // another upload takes the place of the first, and only what is new comes in
    await t.admin
      .post('/settings/migrations/files')
      .attach('affiliates', Buffer.from(`${AFFILIATES}2,bob@shop.test,active\n`), 'a.csv')
      .expect(200);
    await t.app.imports.start('csv');
    await t.app.imports.run('csv');
    expect(await t.app.affiliates.findByUser(3)).toMatchObject({ referrals: 0 });
  });

  it('name what has to be decided first', async () => {
    const t = await startApp();
    const { body } = await t.admin
      .post('/settings/migrations/files')
      .attach('commissions', Buffer.from(COMMISSIONS), 'c.csv')
      .expect(200);
    expect(body.problem).toContain('no column for amount');
    await t.admin.post('/settings/migrations/start').send({ migrator: 'csv' }).expect(422);
  });

  it.each([
    ['another part', 'strange', AFFILIATES, 422],
    ['settings that are none', 'settings', '[1', 422],
    ['a preset no text can be made of', 'settings', '{"preset":{"toString":1}}', 422],
    ['a column every object has', 'settings', '{"columns":{"clicks":{"constructor":"id"}}}', 422],
    [
      'a column of that kind that JSON can name',
      'settings',
      '{"columns":{"clicks":{"__proto__":"id"}}}',
      422,
    ],
  ])('refuse %s', async (_name, part, content, status) => {
    const t = await startApp();
    await t.admin
      .post('/settings/migrations/files')
      .attach('clicks', Buffer.from('id,affiliate_id\n1,1\n'), 'k.csv')
      .field(part, content)
      .expect(status);
    expect((await t.admin.get('/settings/migrations').expect(200)).body.migrators).toEqual([]);
  });

  it('refuse a body that is cut off, or none', async () => {
    const t = await startApp();
    await t.admin
      .post('/settings/migrations/files')
      .set('Content-Type', 'multipart/form-data; boundary=x')
      .send('--x\r\nContent-Disposition: form-data; name="clicks"; filename="a"\r\n\r\nid,aff')
      .expect(422);
    await t.admin.post('/settings/migrations/files').send({ a: 1 }).expect(415);
    const open = (): string[] =>
      readdirSync('/proc/self/fd').flatMap((fd) => {
        try {
          const file = readlinkSync(`/proc/self/fd/${fd}`);
          return file.includes('.csv.part') ? [file] : [];
        } catch {
          return []; // closed meanwhile
        }
      });
    for (let n = 0; n < 100 && open().length > 0; n++) await sleep(20);
    expect(open()).toEqual([]);
  });
});
