import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { run } from '../../cli/run.js';
import { csvMigrator, type CsvSource } from '../../src/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { temporaryFolder } from '../support/folders.js';
import { listed } from '../support/lists.js';

// An import of files guesses nothing: what two readings would make different money of is asked for.

const folder = temporaryFolder();
let number = 0;
function path(content: string): string {
  const file = join(folder, `${(number += 1)}.csv`);
  writeFileSync(file, content);
  return file;
}
const file = (content: string): { path: string } => ({ path: path(content) });

const ALICE = 'id,email,status,date\n1,alice@shop.test,active,2024-01-01\n';

async function refusal(source: CsvSource, settings: object = {}): Promise<string> {
  const t = await startApp({ migrators: [csvMigrator(source)] });
  const { body } = await t.admin
    .post('/settings/migrations/start')
    .send({ migrator: 'csv', ...settings })
    .expect(422);
  expect(await t.app.imports.report('csv')).toBeNull();
  return String(body.message);
}

async function moved(source: CsvSource, settings: object = {}): Promise<TestApp> {
  const t = await startApp({ migrators: [csvMigrator(source)] });
  await t.app.imports.start('csv', false, settings);
  await t.app.imports.run('csv');
  expect(await t.app.ledger.verify()).toEqual([]);
  return t;
}

/** Imports files by the command line. */
async function imported(
  options: Readonly<Record<string, string | true>>,
): Promise<{ code: number; out: string; err: string }> {
  const output = { out: '', err: '' };
  const argv = Object.entries(options).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : [`--${name}`, value],
  );
  const code = await run(
    ['migrate', '--from', 'csv', ...argv],
    {
      out: (text) => {
        output.out += text;
      },
      err: (text) => {
        output.err += text;
      },
      live: false,
    },
    new AbortController().signal,
  );
  return { code, ...output };
}
const database = (): string => join(folder, `${(number += 1)}.sqlite`);

const amounts = async (t: TestApp): Promise<number[]> =>
  (await listed(t, '/referrals')).map(({ amount }) => Math.round(amount * 100));

describe('the amount of a commission', () => {
  const TWO = (column: string): string =>
    `id,affiliate_id,amount,${column},currency,status\nc1,1,120.00,12.00,USD,due\n`;

  it.each(['generic', 'rewardful', 'refersion', 'goaffpro', 'firstpromoter', 'tolt'] as const)(
    'is asked for in a file of %s with two columns that could be it',
    async (preset) => {
      for (const column of ['commission', 'commission_amount']) {
        const source = { preset, affiliates: file(ALICE), commissions: file(TWO(column)) };
        expect(await refusal(source)).toBe(
          `commissions: "amount" and "${column}" could both be the amount. ` +
            'Set `--map commissions.amount=<column>` (`columns` over REST).',
        );
        const mapped = { ...source, commissions: { ...source.commissions, columns: { amount: column } } };
        expect(await amounts(await moved(mapped))).toEqual([1200]);
      }
    },
  );

  it('is `commission_amount` in a file of Tapfiliate, beside the amount of the order', async () => {
    const commissions = file(
      'external_id,amount,created_at,affiliate_email,currency,commission_status,commission_amount\n' +
        'o-1,120.00,2024-02-01T00:00:00Z,alice@shop.test,USD,approved,12.00\n',
    );
    const t = await moved({ preset: 'tapfiliate', affiliates: file(ALICE), commissions });
    expect(await listed(t, '/referrals')).toMatchObject([
      { amount: 12, order_total: 120, provider_id: 'o-1' },
    ]);
    const alone = file(
      'external_id,amount,affiliate_email,currency,commission_status\no,1,a@x.test,USD,paid\n',
    );
    expect(await refusal({ preset: 'tapfiliate', commissions: alone })).toContain('no column for amount');
  });

  it('is `earnings` in a file of Dub, in cents', async () => {
    const commissions = file(
      'id,partner_id,amount,earnings,currency,status\nc1,1,12000,1200,USD,processed\n',
    );
    expect(await amounts(await moved({ preset: 'dub', affiliates: file(ALICE), commissions }))).toEqual([
      1200,
    ]);
  });

  it('of a payout is asked for, too', async () => {
    const payouts = file('id,affiliate_id,amount,total,currency,status\np1,1,10,11,USD,paid\n');
    expect(await refusal({ affiliates: file(ALICE), payouts })).toContain('"amount" and "total"');
  });
});

describe('a missing status', () => {
  it.each([
    [
      'affiliates',
      'id,email\n1,alice@shop.test\n2,bob@shop.test\n',
      '2 rows have',
      'pending, active, inactive',
    ],
    [
      'commissions',
      'id,affiliate_id,amount,currency,status\nc1,1,5,USD,\nc2,1,6,USD,due\n',
      '1 row has',
      'paid',
    ],
    ['payouts', 'id,affiliate_id,amount,currency\np1,1,5,USD\n', '1 row has', 'paid, processing, failed'],
  ])('of %s is asked for, with the number of rows', async (name, content, rows, choices) => {
    const message = await refusal({ affiliates: file(ALICE), [name]: file(content) });
    expect(message).toContain(`${name}: ${rows} no status. Set \`--default-status ${name}=<status>\``);
    expect(message).toContain(choices);
    expect(
      await refusal({ affiliates: file(ALICE), [name]: file(content), defaultStatus: { [name]: 'fine' } }),
    ).toContain('one of');
  });

  it('is what the options say', async () => {
    const t = await moved({
      affiliates: file('id,email\n1,alice@shop.test\n'),
      commissions: file('id,affiliate_id,amount,currency\nc1,1,5,USD\n'),
      defaultStatus: { affiliates: 'pending', commissions: 'pending' },
    });
    expect(await listed(t, '/affiliates')).toMatchObject([{ status: 'pending' }]);
    expect(await listed(t, '/referrals')).toMatchObject([{ status: 'pending' }]);
  });

  it('is `payout_status` in a file of Sprusify: what was paid is not owed again', async () => {
    const t = await moved({
      affiliates: file(ALICE),
      commissions: file(
        'affiliate_id,order_id,gross_amount,commission_amount,currency,payout_status\n' +
          '1,o1,50,5.00,USD,paid\n1,o2,30,3.00,USD,approved\n',
      ),
    });
    expect(await t.app.affiliates.findByUser(2)).toMatchObject({
      unpaid_earnings_minor: 300,
      total_earnings_minor: 800,
    });
    const two = file('affiliate_id,amount,currency,status,payout_status\n1,5,USD,approved,paid\n');
    expect(await refusal({ affiliates: file(ALICE), commissions: two })).toContain(
      '"status" and "payout_status"',
    );
  });
});

it('asks for the shop of coupons; then their orders credit the affiliate', async () => {
  const coupons = file('code,affiliate_id\nALICE20,1\nALICE30,1\n');
  expect(await refusal({ affiliates: file(ALICE), coupons })).toContain('coupons: 2 rows have no provider');
  const t = await moved({ affiliates: file(ALICE), coupons, couponProvider: 'woo' });
  const codes = (await listed(t, '/coupons')).map(({ provider, code }) => `${provider} ${code}`);
  expect(codes.toSorted()).toEqual(['woo ALICE20', 'woo ALICE30']);
  const { referral } = await t.app.conversions.record(null, {
    provider: 'woo',
    reference: '1',
    coupon: 'alice20',
    order: { subtotal: '10.00' },
  });
  expect(referral?.affiliate_id).toBe((await t.app.affiliates.findByUser(2))?.id);
});

it('reports coupons of a shop that is not known here', async () => {
  const t = await moved({
    affiliates: file(ALICE),
    coupons: file('code,affiliate_id,provider\nA,1,strip\n'),
  });
  expect((await t.app.imports.report('csv'))?.noted).toEqual({ coupon_of_unknown_shop: 1 });
  const { setup } = (await t.admin.post('/settings/migrations/check').send({ migrator: 'csv' }).expect(200))
    .body;
  expect(setup.shops).toEqual([{ name: 'strip', rows: 1, provider: 'strip', known: false }]);
});

describe('what the files state', () => {
  const COMMISSIONS = 'id,affiliate_id,amount,currency,status\nc1,1,10,USD,due\nc2,1,5,USD,paid\n';

  it('is compared: other earnings are reported, with exit status 3', async () => {
    const affiliates = path(
      'id,email,status,unpaid_earnings,total_earnings\n1,alice@shop.test,active,500,777\n2,bob@shop.test,active,0,0\n',
    );
    const { code, out } = await imported({
      'csv-affiliates': affiliates,
      'csv-commissions': path(COMMISSIONS),
      database: database(),
    });
    expect(out).toContain('Stated totals that differ');
    expect(out).toMatch(/1 +USD +777\.00 +15\.00 +500\.00 +10\.00/);
    expect(out).not.toContain('all affiliates match');
    expect(code).toBe(3);
  });

  it('is compared: equal earnings end with 0', async () => {
    const affiliates = path(
      'id,email,status,unpaid_earnings,paid_earnings,total_earnings\n1,alice@shop.test,active,10,5,15.00\n',
    );
    const { code } = await imported({
      'csv-affiliates': affiliates,
      'csv-commissions': path(COMMISSIONS),
      database: database(),
    });
    expect(code).toBe(0);
  });

  it('is compared: a skipped payout is reported, with exit status 3', async () => {
    const payouts =
      'id,affiliate_id,amount,currency,status,commission_ids\np1,1,5,USD,paid,c2\np2,1,7,USD,paid,\n';
    const { code, out } = await imported({
      'csv-affiliates': path(ALICE),
      'csv-commissions': path(COMMISSIONS),
      'csv-payouts': path(payouts),
      database: database(),
    });
    expect(out).toContain('Payments that add up to another amount here');
    expect(out).toMatch(/1 +USD +12\.00 +5\.00/);
    expect(code).toBe(3);
  });

  it('stands in the comparison over REST', async () => {
    const t = await moved({
      affiliates: file('id,email,status,unpaid_earnings\n1,alice@shop.test,active,500\n'),
      commissions: file(COMMISSIONS),
    });
    const { body } = await t.admin.get('/settings/migrations/affiliates?migrator=csv').expect(200);
    expect(body.affiliates).toMatchObject([
      { differs: true, stated_differs: true, stated_unpaid_minor: 50_000 },
    ]);
  });
});

describe('customers', () => {
  const remarksOf = async (t: TestApp): Promise<unknown> =>
    (await t.app.imports.remarks('csv')).map(({ stage, source_id, reason, detail }) => [
      stage,
      source_id,
      reason,
      detail,
    ]);

  it('whose affiliate is not known are named row by row', async () => {
    const t = await moved({
      affiliates: file(ALICE),
      customers: file(
        'id,email,affiliate_email,date\nb1,b1@x.test,alice@shop.test,2024-01-02\n' +
          'b2,b2@x.test,nobody@x.test,2024-01-02\nb3,b3@x.test,,2024-01-02\n',
      ),
    });
    expect(await remarksOf(t)).toEqual([
      ['customers', 'b2', 'customer_affiliate_missing', 'nobody@x.test'],
      ['customers', 'b3', 'customer_without_affiliate', null],
    ]);
  });

  it("of Rewardful's template are bound to the affiliate whose address the file has", async () => {
    const t = await moved({
      preset: 'rewardful',
      affiliates: file(ALICE),
      customers: file(
        'stripe_customer_id,first_name,last_name,email,paypal_email,token\ncus_1,Alice,A,alice@shop.test,,alice\n',
      ),
    });
    const alice = await t.service.affiliates.findByUser(2);
    expect(await listed(t, '/customers')).toMatchObject([
      { email: null, first_name: null, by_affiliate_id: alice?.id },
    ]);
  });
});

describe('each row by itself', () => {
  it('has its own remark when its id is repeated, however far apart, with the amount', async () => {
    const many = Array.from({ length: 1100 }, (_, n) => `m${n},1,1,USD,due,2024-01-02`).join('\n');
    const rows = path(
      `id,affiliate_id,amount,currency,status,date\nc1,1,10,USD,due,2024-01-02\nc1,1,20,USD,due,2024-01-02\n${many}\nc1,1,40,USD,due,2024-01-02\n`,
    );
    const report = join(folder, 'report');
    const { code, out } = await imported({
      'csv-affiliates': path(ALICE),
      'csv-commissions': rows,
      database: database(),
      report,
    });
    const list = readFileSync(join(report, 'rows.csv'), 'utf8');
    expect(list).toMatch(/"referrals","c1 \(row 3\)","skipped","id_repeated",1,20,"USD"/);
    expect(list).toMatch(/"referrals","c1 \(row 1104\)","skipped","id_repeated",1,40,"USD"/);
    expect(list.match(/"referrals"/g)).toHaveLength(2);
    expect(out).toMatch(/1 +USD +1170\.00 +1110\.00/);
    expect(code).toBe(3);
  });

  it('is refused with a currency that is none', async () => {
    const commissions = file('id,affiliate_id,amount,currency,status\nc1,1,10,USD,due\nc2,1,9,DLR,due\n');
    expect(await refusal({ affiliates: file(ALICE), commissions })).toContain(
      'commissions: "DLR" (row 3) is not an ISO 4217 currency',
    );
  });
});

describe('columns of old links', () => {
  it('that are not read have to be confirmed', async () => {
    const affiliates = file('id,email,status,Media ID,City\n1,alice@shop.test,active,77123,Rome\n');
    expect(await refusal({ affiliates }, { currency: 'USD' })).toContain(
      'affiliates: old links may use "Media ID", which is not read.',
    );
    await moved({ affiliates, ignoreLinkColumns: true });
    const t = await moved({
      affiliates: { ...affiliates, columns: { other_links: 'Media ID' } },
      variable: 'irm',
    });
    const alice = await t.app.affiliates.findByUser(2);
    expect((await t.app.tracking.resolveLink('irm', '77123'))?.id).toBe(alice?.id);
    expect((await t.app.imports.report('csv'))?.links).toMatchObject({ wrong: [] });
  });

  it('of Affonso are read', async () => {
    const affiliates = file(
      'Name,Email,Tracking Parameter,PayPal Email,Status\nAlice,alice@shop.test,alicelink,,active\n',
    );
    const t = await moved({ affiliates, variable: 'via' });
    const alice = await t.app.affiliates.findByUser(2);
    expect((await t.app.tracking.resolveLink('via', 'alicelink'))?.id).toBe(alice?.id);
  });
});

describe('amounts', () => {
  const withAmounts = (...texts: readonly string[]): CsvSource => ({
    affiliates: file(ALICE),
    commissions: file(
      `id;affiliate_id;amount;status\n${texts.map((text, n) => `c${n};1;${text};due`).join('\n')}\n`,
    ),
  });
  const USD = { currency: 'USD' };

  it.each([
    [['12.34.56'], /"12\.34\.56" \(row 2\) is not an amount/],
    [['5', 'ten'], /"ten" \(row 3\) is not an amount/],
    [['1.234', '5.678'], /amounts such as 1\.234 are ambiguous.*--decimal/],
    [['1.50', '2,50'], /"1\.50" \(row 2\) has a decimal point, "2,50" \(row 3\) a decimal comma/],
    [['€ 7,00'], /"€ 7,00" \(row 2\) is not in USD/],
    [['GBP 7.00', '7 USD'], /"GBP 7\.00" \(row 2\) is not in/],
    [['A$ 7.00'], /is not in USD/],
  ])('%p are refused', async (texts, message) => {
    expect(await refusal(withAmounts(...texts), USD)).toMatch(message);
  });

  it('have one decimal mark, found from all cells of the file, or given', async () => {
    expect(await amounts(await moved(withAmounts('1.234', '5.678,90', '7'), USD))).toEqual([
      123_400, 567_890, 700,
    ]);
    expect(await amounts(await moved(withAmounts('1,234', '5.50'), USD))).toEqual([123_400, 550]);
    expect(await amounts(await moved({ ...withAmounts('1.234'), decimalMark: 'comma' }, USD))).toEqual([
      123_400,
    ]);
    expect(await refusal({ ...withAmounts('1.50'), decimalMark: 'comma' }, USD)).toContain(
      '"1.50" (row 2) is not written with a decimal comma',
    );
  });

  it.each([
    [['$ 7.00', 'US$1', '2 USD'], 'USD', [700, 100, 200]],
    [['7,00 €'], 'EUR', [700]],
  ])('%p are read with the sign of their currency', async (texts, currency, read) => {
    expect(await amounts(await moved(withAmounts(...texts), { currency }))).toEqual(read);
  });

  it('in smallest units need a currency per row where it has no two decimals', async () => {
    const cents = { ...withAmounts('700'), minorUnits: true };
    expect(await refusal(cents, { currency: 'JPY' })).toContain('need a column `currency`');
    expect(await amounts(await moved(cents, USD))).toEqual([700]);
  });
});

it('says what to do before the first start', async () => {
  const t = await startApp({ migrators: [csvMigrator({ affiliates: file(ALICE) })] });
  await expect(t.app.imports.run('csv')).rejects.toMatchObject({ code: 'import_not_started' });
  await expect(t.app.imports.run('csw')).rejects.toThrow('No such source. Available: csv.');
  const none = await startApp();
  await expect(none.app.imports.start('csv')).rejects.toThrow(/Upload CSV files first/);
  const first = await imported({ 'csv-affiliates': path(ALICE), database: database(), reset: true });
  expect([first.code, first.err]).toEqual([0, expect.not.stringContaining('No such source')]);
});

it('names an e-mail address that is none at the upload, in the dry run and after the import', async () => {
  const AFFILIATES =
    'id,email,payment_email,status\n1,alice@shop.test,alice@@pay,active\n2,bob-at-shop,,active\n';
  const t = await startApp();
  const { body } = await t.admin
    .post('/settings/migrations/files')
    .attach('affiliates', Buffer.from(AFFILIATES), 'a.csv')
    .expect(200);
  const emails = [
    { rows: 'affiliates', row: '2', column: 'payment_email', value: 'alice@@pay' },
    { rows: 'affiliates', row: '3', column: 'email', value: 'bob-at-shop' },
  ];
  expect([body.problem, body.emails]).toEqual([null, emails]);
  const { setup } = (await t.admin.post('/settings/migrations/check').send({ migrator: 'csv' }).expect(200))
    .body;
  expect(setup.emails).toEqual(emails);
  const dry = await imported({ 'csv-affiliates': path(AFFILIATES), database: database(), 'dry-run': true });
  expect(dry.out).toContain('E-mail addresses that are not valid:\n  affiliates 1: alice@@pay\n');
});

it('takes what is asked for with the upload', async () => {
  const t = await startApp();
  const upload = async (
    settings: object,
  ): Promise<{ problem: string | null; question: unknown; link_columns: string[] }> =>
    (
      await t.admin
        .post('/settings/migrations/files')
        .field('settings', JSON.stringify(settings))
        .attach('affiliates', Buffer.from('id,email,Media ID\n1,alice@shop.test,7\n'), 'a.csv')
        .attach('coupons', Buffer.from('code,affiliate_id\nA,1\n'), 'c.csv')
        .expect(200)
    ).body;
  expect(await upload({})).toMatchObject({
    problem: expect.stringContaining('`default_status` over REST'),
    question: { about: 'status', file: 'affiliates', rows: 1 },
  });
  const status = { default_status: { affiliates: 'active' } };
  expect(await upload(status)).toMatchObject({
    problem: expect.stringContaining('`coupon_provider` over REST'),
    question: { about: 'coupons', file: 'coupons', rows: 1 },
  });
  const shop = { ...status, coupon_provider: 'woo' };
  expect(await upload(shop)).toMatchObject({
    problem: expect.stringContaining('`ignore_link_columns`'),
    question: { about: 'links', file: 'affiliates', rows: 0 },
    link_columns: ['Media ID'],
  });
  expect(await upload({ ...shop, ignore_link_columns: true })).toMatchObject({
    problem: null,
    question: null,
  });
  await t.admin
    .post('/settings/migrations/files')
    .field('settings', JSON.stringify({ default_status: { clicks: 'paid' } }))
    .attach('affiliates', Buffer.from(ALICE), 'a.csv')
    .expect(422);
});

describe('a dry run', () => {
  const AFFILIATES = [
    'id,email,status',
    '1,alice@shop.test,active',
    '2,bob@shop.test,active',
    '2,bea@shop.test,active',
    '3,carl@shop.test,gone',
  ].join('\n');
  const COMMISSIONS = [
    'id,affiliate_id,amount,status,currency,payout_id',
    'c1,1,10.00,paid,USD,p1',
    'c2,1,4.00,unpaid,USD,',
    'c3,9,5.00,unpaid,USD,',
    'c4,2,7.00,unpaid,USD,p2',
  ].join('\n');
  const PAYOUTS =
    'id,affiliate_id,amount,status,currency\np1,1,10.00,paid,USD\np2,2,7.00,paid,USD\np3,9,1.00,paid,USD\n';
  const CUSTOMERS = 'id,email\n7,ann@mail.test\n8,ann@mail.test\n';
  const CLICKS = 'id,affiliate_id,date\nk1,1,2024-01-02\nk2,9,2024-01-02\n';
  const source = (): CsvSource => ({
    affiliates: file(AFFILIATES),
    commissions: file(COMMISSIONS),
    payouts: file(PAYOUTS),
    customers: file(CUSTOMERS),
    clicks: file(CLICKS),
  });
  const SETTINGS = { status_words: { gone: 'skip' } };

  it('leaves time to orders, however many rows there are', async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => `c${at},1,10.00,unpaid,USD`);
    const commissions = file(['id,affiliate_id,amount,status,currency', ...rows].join('\n'));
    const t = await startApp({ migrators: [csvMigrator({ affiliates: file(ALICE), commissions })] });
    const before = performance.eventLoopUtilization();
    const { body } = await t.admin.post('/settings/migrations/check').send({ migrator: 'csv' }).expect(200);
    const { utilization } = performance.eventLoopUtilization(before);

    expect(body.setup.trial.stages.referrals).toMatchObject({ found: 20_000, imported: 20_000 });
    expect(utilization).toBeLessThan(0.85);
  });

  it('counts per kind what would come in, and names what would not with line and reason', async () => {
    const t = await startApp({ migrators: [csvMigrator(source())] });
    const check = async (): Promise<{ trial: Record<string, unknown> }> =>
      (
        await t.admin
          .post('/settings/migrations/check')
          .send({ migrator: 'csv', ...SETTINGS })
          .expect(200)
      ).body.setup;
    const tally = (imported: number, existing: number, skipped: number): object => ({
      found: imported + existing + skipped,
      imported,
      existing,
      skipped,
    });

    const { trial } = await check();

    expect(trial['stages']).toEqual({
      affiliates: tally(2, 0, 2),
      referrals: tally(3, 0, 1),
      customers: tally(1, 0, 1),
      payouts: tally(1, 0, 2),
      visits: tally(1, 0, 1),
    });
    expect((trial['left_out'] as LeftOut[]).map(({ stage, line, reason }) => [stage, line, reason])).toEqual([
      ['affiliates', 4, 'id_repeated'],
      ['affiliates', 5, 'left_out_on_request'],
      ['referrals', 4, 'affiliate_missing'],
      ['customers', 3, expect.stringContaining('email_known_orders_joined')],
      ['payouts', 3, expect.stringContaining('no_paid_commissions')],
      ['payouts', 4, 'affiliate_missing'],
      ['visits', 3, 'affiliate_missing'],
    ]);
    expect(trial['complete']).toBe(true);
    for (const path of ['/affiliates', '/referrals', '/customers', '/payouts', '/visits'])
      expect([path, await listed(t, path)]).toEqual([path, []]);
    expect(await t.app.db('import_rows').select()).toEqual([]); // no list shows remarks before an import

    // the import does what the dry run announced, and a second dry run finds it here
    await t.app.imports.start('csv', false, SETTINGS);
    const { state } = await t.app.imports.run('csv');
    expect(Object.fromEntries(Object.entries(state.stages).filter(([, { found }]) => found > 0))).toEqual(
      trial['stages'],
    );
    expect((await check()).trial['stages']).toEqual({
      affiliates: tally(0, 2, 2),
      referrals: tally(0, 3, 1),
      customers: tally(0, 1, 1),
      payouts: tally(0, 1, 2),
      visits: tally(0, 1, 1),
    });
  });
});
interface LeftOut {
  readonly stage: string;
  readonly line: number | null;
  readonly reason: string;
}
