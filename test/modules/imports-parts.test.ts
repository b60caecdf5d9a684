import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { csvMigrator } from '../../src/index.js';
import { readPhp, readStructure } from '../../adapters/imports/php.js';
import {
  readAmount,
  readEmail,
  readIdList,
  readRate,
  readTime,
  repairText,
  roundingOf,
} from '../../src/core/imports/values.js';
import { startApp } from '../support/app.js';
import { temporaryFolder } from '../support/folders.js';
import { listed } from '../support/lists.js';

describe('serialized PHP', () => {
  it.each([
    ['s:5:"Hello";', 'Hello'],
    ['s:6:"Café ";', 'Café '],
    ['i:-42;', -42],
    ['d:12.5;', 12.5],
    ['d:1.0E+25;', 1e25],
    ['b:1;', true],
    ['b:0;', false],
    ['N;', null],
    ['a:0:{}', []],
    ['a:2:{i:0;s:1:"a";i:1;s:1:"b";}', ['a', 'b']],
    ['a:1:{s:1:"k";a:1:{i:5;i:6;}}', { k: { 5: 6 } }],
    ['s:4:"a";b";', 'a";b'],
  ])('reads %s', (text, value) => {
    expect(readPhp(text)).toEqual({ ok: true, value });
  });

  it.each([
    'O:8:"stdClass":0:{}',
    'C:3:"Foo":0:{}',
    'a:1:{i:0;O:8:"stdClass":1:{s:1:"a";i:1;}}',
    'a:2:{i:0;s:1:"a";i:1;R:2;}',
    'a:1:{i:0;r:1;}',
    'E:7:"Foo:Bar";',
    'O:+8:"stdClass":0:{}',
  ])('refuses the object or reference in %s', (text) => {
    expect(readPhp(text)).toEqual({ ok: false, reason: 'serialized_object_refused' });
  });

  it.each([
    '',
    's:99:"short";',
    's:-1:"";',
    'a:1:{i:0;}',
    'a:9999999:{',
    'i:1',
    'i:1;i:2;',
    'd:nan;',
    'b:7;',
    'x:1;',
    'a:1:{a:0:{}i:1;}',
    'a:1:{'.repeat(30),
    `a:1:{i:0;${'a:1:{i:0;'.repeat(40)}i:1;${'}'.repeat(41)}`,
    `s:1100000:"${'x'.repeat(1_100_000)}";`,
  ])('refuses what is malformed', (text) => {
    expect(readPhp(text)).toEqual({ ok: false, reason: 'serialized_malformed' });
  });

  it('makes no prototype of a key', () => {
    const reading = readPhp('a:1:{s:9:"__proto__";a:1:{s:8:"polluted";b:1;}}');
    expect(reading.ok && Object.keys(reading.value as object)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([
    ['{"a":1}', { a: 1 }],
    ['[1]', [1]],
    ['{broken', '{broken'],
    ['plain', 'plain'],
    ['', null],
    [null, null],
  ])('takes %p as a stored structure', (stored, value) => {
    expect(readStructure(stored)).toEqual({ ok: true, value });
  });
});

describe('values of old databases', () => {
  it.each([
    ['12.345', 'USD', 1235],
    [0.1 + 0.2, 'USD', 30],
    ['1,234.50', 'USD', 123450],
    [' 7 ', 'USD', 700],
    ['7.5', 'JPY', 8],
    ['abc', 'USD', null],
    ['', 'USD', null],
    [null, 'USD', null],
    ['1e30', 'USD', null],
    ['-5.005', 'USD', -501],
    ['12,50', 'USD', 1250],
    ['1.234,5', 'USD', 123450],
    ['1,234', 'USD', 123400],
  ])('reads the amount %p %s as %p', (text, currency, amount) => {
    expect(readAmount(text, currency)).toBe(amount);
  });

  it('reports what rounding took away', () => {
    expect(roundingOf('10.005', readAmount('10.005', 'USD')!, 'USD')).toBe(-5_000_000_000n);
  });

  it.each([
    ['0000-00-00 00:00:00', 'UTC', null],
    ['2024-02-30 10:00:00', 'UTC', null],
    ['2024-07-01 12:00:00', 'Europe/Berlin', Date.UTC(2024, 6, 1, 10)],
    ['2024-07-01', 'UTC', Date.UTC(2024, 6, 1)],
    ['2024-07-01T12:00:00Z', 'Europe/Berlin', Date.UTC(2024, 6, 1, 12)],
    ['2024-07-01 12:00:00.123', 'UTC', Date.UTC(2024, 6, 1, 12)],
    ['soon', 'UTC', null],
    [null, 'UTC', null],
    [0, 'UTC', null],
  ])('reads the time %p in %s', (text, zone, time) => {
    expect(readTime(text, zone)).toBe(time);
  });

  it.each([
    ['JosÃ©', 'José'],
    ['MÃ¼ller â€“ Co', 'Müller – Co'],
    ['José', 'José'],
    ['Ã', 'Ã'],
    ['naïve €', 'naïve €'],
    ['日本', '日本'],
  ])('repairs %p', (text, repaired) => {
    expect(repairText(text)).toBe(repaired);
  });

  it.each([
    ['1,,2, x,3,', ['1', '2', '3']],
    ['', []],
    [null, []],
    ['5|6', ['5', '6']],
    ['-1,0', []],
  ])('reads the id list %p', (text, ids) => {
    expect(readIdList(text)).toEqual(ids);
  });

  it('reads rates and addresses', () => {
    expect([readRate('12.34567'), readRate('-1'), readRate('0'), readRate('')]).toEqual([
      123_457,
      null,
      0,
      null,
    ]);
    expect([readEmail(' Jo@X.org '), readEmail('not one'), readEmail('a@b@c')]).toEqual([
      'Jo@X.org',
      null,
      null,
    ]);
  });
});

describe('CSV files', () => {
  const folder = temporaryFolder();
  const file = (name: string, content: string | Buffer): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  it('brings affiliates, commissions and clicks with mapped columns', async () => {
    const affiliates = file(
      'a.csv',
      '\ufeffE-Mail;Status;Rate\r\nalice@shop.test;active;12,5\r\n"odd;one@old.test";active;\r\n',
    );
    const referrals = file(
      'r.csv',
      'Partner,Commission,State,Note,When\nalice@shop.test,"1,234.50",paid,"two\nlines, ""quoted""",2025-05-05 10:00:00\nalice@shop.test,5,unpaid,,\nnobody@x.test,1,paid,,\n',
    );
    const visits = file(
      'v.csv',
      Buffer.from(
        'id,affiliate_email,url,utm_campaign\n1,ALICE@shop.test,https://shop.test/,\xe9t\xe9\n',
        'latin1',
      ),
    );
    const t = await startApp({
      migrators: [
        csvMigrator({
          affiliates: { path: affiliates, columns: { email: 'E-Mail' } },
          referrals: {
            path: referrals,
            columns: {
              affiliate_email: 'Partner',
              amount: 'Commission',
              status: 'State',
              description: 'Note',
              created_at: 'When',
            },
          },
          visits: { path: visits },
        }),
      ],
    });
    await t.app.imports.start('csv', false, { currency: 'USD' });
    await t.app.imports.run('csv');
    expect(await t.service.affiliates.findByUser(2)).toMatchObject({
      total_earnings_minor: 123_950,
      unpaid_earnings_minor: 500,
      visits: 1,
    });
    const [first] = await listed(t, '/referrals');
    expect([first.description, Date.parse(first.created_at)]).toEqual([
      'two lines, "quoted"',
      Date.UTC(2025, 4, 5, 10),
    ]);
    expect(await listed(t, '/visits')).toMatchObject([{ utm_campaign: 'été' }]);
    expect((await t.app.imports.report('csv'))?.skipped).toEqual({ affiliate_missing: 1 });
  });

  it('reads any page of a large file from where the last one ended', async () => {
    const path = file(
      'many.csv',
      `id,affiliate_id,url\n${Array.from({ length: 12_345 }, (_, n) => `${n + 1},1,"https://shop.test/${'x'.repeat(n % 50)}\n"`).join('\n')}\n`,
    );
    const migrator = csvMigrator({ visits: { path } });
    expect(await migrator.counts()).toEqual({ visits: 12_345 });
    const ids: string[] = [];
    for (let cursor: string | null = null; ;) {
      const page: Awaited<ReturnType<typeof migrator.migrate<'visits'>>> = await migrator.migrate(
        'visits',
        cursor,
        1000,
      );
      ids.push(...page.rows.map((row) => row.id));
      cursor = page.nextCursor ?? cursor;
      if (page.done) break;
    }
    expect(ids).toEqual(Array.from({ length: 12_345 }, (_, n) => String(n + 1)));
  });

  it('stops at a mapping that names no column', async () => {
    const migrator = csvMigrator({
      affiliates: { path: file('x.csv', 'a,b\n1,2\n'), columns: { email: 'mail' } },
    });
    await expect(migrator.check?.()).rejects.toThrow('no column "mail"');
    expect(await csvMigrator({ affiliates: { path: join(folder, 'absent.csv') } }).isAvailable()).toBe(false);
  });
});
