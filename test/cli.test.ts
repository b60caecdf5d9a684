import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import createKnex from 'knex';
import { COMMANDS, readArguments } from '../cli/arguments.js';
import { run } from '../cli/run.js';
import type { ImportReport } from '../src/index.js';
import { affiliateWp } from './imports/fixtures.js';
import { startApp, type TestApp } from './support/app.js';
import { temporaryFolder } from './support/folders.js';
import { affiliate, earn, FORM } from './support/payouts.js';
import { insertMany } from './support/rows.js';
import { buildSite, type BuiltSite } from './imports/old-site.js';

interface CliResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function cli(...argv: readonly string[]): Promise<CliResult> {
  const output = { out: '', err: '' };
  const code = await run(
    argv,
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

const folder = temporaryFolder();
const database = join(folder, 'program.sqlite');
let site: BuiltSite;
let source: string;

beforeAll(async () => {
  site = await buildSite('sqlite', 'cli', { affiliates: 41, referrals: 300, visits: 400 }, affiliateWp);
  source = (site.connection as { connection: string }).connection;
});
afterAll(() => site.drop());

describe('affiliate-service', () => {
  it.each([
    [[], 'Set a command'],
    [['fly'], 'Unknown command: fly'],
    [['migrate', '--from', 'slicewp'], '--source is missing'],
    [['doctor'], '--database is missing'],
    [['doctor', '--color', 'red'], "Unknown option '--color'"],
    [
      ['migrate', '--from', 'excel', '--source', 'x.sqlite', '--database', 'y.sqlite'],
      '--from must be one of',
    ],
    [['migrate', '--from', 'csv', '--database', 'y'], '--csv-affiliates'],
    [['migrate', '--from', 'csv', '--csv-visits', 'v', '--map', 'visits', '--database', 'y'], '--map visits'],
  ])('tells what is wrong with %p', async (argv, message) => {
    const { code, err } = await cli(...argv);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it('prints its usage', async () => {
    expect(await cli('--help')).toMatchObject({
      code: 0,
      out: expect.stringContaining('migrate     import the data'),
      err: '',
    });
  });

  it.each(COMMANDS)(
    'prints what %s does, with an example that is a command line and a page about it',
    async (command) => {
      const { code, out } = await cli(command, '--help');
      expect([code, out.split('\n')[0]]).toEqual([
        0,
        expect.stringMatching(`^affiliate-service ${command}: \\S.{20,}`),
      ]);

      const [, example = ''] = /Example\n {2}npx affiliate-service (.+)/.exec(out) ?? [];
      const { flags, command: named } = readArguments(example.split(' '));
      expect(named).toBe(command);
      for (const [flag, value] of Object.entries(flags))
        if (value !== undefined && value !== false && !Array.isArray(value))
          expect(out.split('\nExample')[0]).toContain(`--${flag}`);

      const [, page = ''] = /docs\/([\w-]+\.md)/.exec(out) ?? [];
      expect(readFileSync(`docs/${page}`, 'utf8')).toMatch(
        new RegExp(`affiliate-service ${command}\\b|\`${command}\\b`),
      );
      expect(out).toContain('0 done, 1 something is wrong');
    },
  );

  it('finds a database without tables, and makes them', async () => {
    for (const command of ['doctor', 'schema'])
      expect(await cli(command, '--database', database)).toMatchObject({
        code: 2,
        err: expect.stringContaining('does not exist'),
      });
    writeFileSync(database, '');
    expect(await cli('doctor', '--database', database)).toMatchObject({
      code: 1,
      out: expect.stringContaining('older than this version'),
    });
    expect(await cli('schema', '--database', database)).toMatchObject({
      code: 1,
      err: expect.stringContaining('--apply'),
    });
    expect(await cli('schema', '--database', database, '--plan')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/005-doors +add column key_maker_id +fa_payouts +0 +nothing/),
    });
    expect(await cli('schema', '--database', database, '--apply')).toMatchObject({
      code: 0,
      out: expect.stringContaining('001-initial'),
    });
    expect((await cli('schema', '--database', database, '--plan')).out).toBe('The tables are up to date.\n');
    const { code, out } = await cli('doctor', '--database', database);
    expect([code, out]).toEqual([0, expect.stringMatching(/books +balanced/)]);
    expect(out).not.toMatch(/secret/i);
  });

  it('stores no secret: one in the database would vouch for whoever reads it, and the host has its own', async () => {
    const knex = createKnex({ client: 'better-sqlite3', connection: database, useNullAsDefault: true });
    expect(await knex('fa_options').whereIn('name', ['service_secret', 'retired_secrets'])).toEqual([]);
    await knex.destroy();
  });

  it('tries an import without storing it, then does it, then again', async () => {
    const dry = await cli(
      'migrate',
      '--from',
      'affiliate_wp',
      '--source',
      source,
      '--database',
      database,
      '--dry-run',
      '--json',
    );
    expect(dry).toMatchObject({ code: 0, err: expect.stringContaining('nothing was stored') });
    expect(await cli('doctor', '--database', database)).toMatchObject({
      out: expect.stringMatching(/affiliates +0/),
    });

    const first = await cli(
      'migrate',
      '--from',
      'affiliate_wp',
      '--source',
      source,
      '--database',
      database,
      '--json',
    );
    expect(first).toMatchObject({
      code: 0,
      err: expect.stringMatching(/\[#{24}\] 100% completed \d+\/\d+ rows, \d+\/s, 0 s left/),
    });
    const report = (result: CliResult): ImportReport => JSON.parse(result.out) as ImportReport;
    expect(report(first).sums).toEqual(report(dry).sums);

    const lists = join(folder, 'lists');
    const again = await cli(
      'migrate',
      '--from',
      'affiliate_wp',
      '--source',
      source,
      '--database',
      database,
      '--reset',
      '--report',
      lists,
    );
    expect(again.err).toMatch(
      /lists: \d+ rows with a reason, 41 affiliates without a user, 0 with balances that differ from the old system/,
    );
    expect(readFileSync(join(lists, 'rows.csv'), 'utf8')).toMatch(
      /^"stage","source_id","outcome","reason","affiliate","amount","currency","what_happened","what_to_do"\n(?:.*\n)*"referrals",50,"skipped","affiliate_missing/,
    );
    expect(readFileSync(join(lists, 'affiliates.csv'), 'utf8')).toMatch(
      /\n1,1,"","alice","ALICE@shop.test","USD",103.50,[\d.]+,3.00,[\d.]+\n/,
    );
    expect(again.out).toContain('Settings of the old program: currency USD');
    expect(again).toMatchObject({ code: 0, out: expect.stringMatching(/referrals +300 +0 +\d+/) });
    expect(again.out).toContain('affiliate_missing');
    expect(await cli('doctor', '--database', database)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/affiliates +41/),
    });
  });

  it('finds users through a host adapter, given as a module', async () => {
    const host = join(folder, 'host.mjs');
    writeFileSync(
      host,
      `export default () => ({
      site: () => ({ url: 'http://shop.test', name: 'Shop', timeZone: 'UTC', restPrefix: '/' }), currentUser: async () => null, can: async () => false, nonces: { create: async () => 'n', verify: async () => false },
      users: { find: async () => [], search: async () => [], findByEmail: async (email) => (email === 'alice@shop.test' ? { id: 77, email, login: 'alice' } : null) },
    });`,
    );
    const target = join(folder, 'with-users.sqlite');
    expect(
      await cli(
        'migrate',
        '--from',
        'affiliate_wp',
        '--source',
        source,
        '--database',
        target,
        '--host',
        host,
      ),
    ).toMatchObject({ code: 0 });
    const knex = createKnex({
      client: 'better-sqlite3',
      connection: { filename: target },
      useNullAsDefault: true,
    });
    expect(await knex('fa_affiliates').select('source_key').where({ user_id: 77 })).toEqual([
      { source_key: 'affiliate_wp:1' },
    ]);
    await knex('fa_affiliates').where({ user_id: 77 }).update({ referrals: 12_345 });
    await knex.destroy();
    expect(await cli('doctor', '--database', target)).toMatchObject({
      code: 1,
      out: expect.stringContaining('run reconcile'),
    });
    expect(await cli('reconcile', '--database', target)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/1 +referrals +12345/),
    });
    expect(await cli('reconcile', '--database', target)).toMatchObject({
      code: 0,
      out: expect.stringContaining('agree'),
    });
  });

  it('ends with 3 where an affiliate is owed something else than in the old system, and names it', async () => {
    const target = join(folder, 'differs.sqlite');
    const migrate = ['migrate', '--from', 'affiliate_wp', '--source', source, '--database', target];
    const { code, out } = await cli(...migrate, '--map-status', 'pending=skip');
    expect([code, out]).toEqual([3, expect.stringContaining("Balances that differ from the old system's")]);
    // the currency was saved with the import: later commands need no flag
    expect(await cli('reconcile', '--database', target)).toMatchObject({
      code: 0,
      out: expect.stringContaining('agree'),
    });
  });

  it.each([
    [['--source-zone', 'Mars/Here'], 'Set the time zone of the old site'],
    [['--host', './none.mjs'], 'module of --host does not exist'],
    [['--currency', 'QQQ'], 'must be an ISO 4217 code'],
  ])('says in a sentence what is wrong with %p', async (flags, sentence) => {
    const target = join(folder, 'none.sqlite');
    const migrate = ['migrate', '--from', 'affiliate_wp', '--source', source, '--database', target];
    const { code, err } = await cli(...migrate, ...flags);
    expect([code, err]).toEqual([1, expect.stringContaining(sentence)]);
    expect(err).not.toMatch(/\n\s+at /u);
  });

  it('writes the first files into a folder that does not exist yet, with settings that fit the framework', async () => {
    const init = (framework: string, dir: string) =>
      cli('init', '--framework', framework, '--ids', 'text', '--database', 'x.sqlite', '--dir', dir);
    const [plain, next] = [join(folder, 'new', 'src'), join(folder, 'next')];
    const { code, out } = await init('express', plain);
    expect([code, out.split('\nNext:\n')[1]]).toEqual([
      0,
      expect.stringMatching(
        /your server: `mountAffiliates\(app\)`.*\n {2}cd .*src\n[^]*--env-file=\.env\.affiliates/u,
      ),
    ]);
    expect(await init('next', next)).toMatchObject({ code: 0, err: '' });
    const settings = (dir: string) => readFileSync(join(dir, 'tsconfig.json'), 'utf8');
    expect(settings(plain)).toContain('"module": "nodenext"');
    expect(settings(next)).toContain('"moduleResolution": "bundler"'); // anything else breaks `next build`
    expect(readFileSync(join(next, 'instrumentation.ts'), 'utf8')).toContain('service.ready()');
    expect(readFileSync(join(next, 'app/partners/[[...path]]/route.ts'), 'utf8')).toContain('= handlers;');
  });

  it('writes into `src` what Nest compiles there, for the database that is only named', async () => {
    const nest = join(folder, 'nest');
    mkdirSync(join(nest, 'src'), { recursive: true });
    writeFileSync(join(nest, 'src', 'main.ts'), '');
    const flags = ['--framework', 'nest', '--ids', 'text', '--database', 'sqlite', '--dir', nest];
    const { code, out } = await cli('init', ...flags);
    expect([code, out]).toEqual([0, expect.stringContaining('check-host ./src/host.ts')]);
    expect(out).toContain("service.affiliates.create({ user: 'u2', status: 'active' })");
    expect(existsSync(join(nest, 'src', 'affiliates.module.ts'))).toBe(true);
    expect(readFileSync(join(nest, '.env.affiliates'), 'utf8')).toContain(
      'AFFILIATES_DATABASE=affiliates.sqlite\n',
    );
  });

  it('copies a program into an empty database', async () => {
    const file = join(folder, 'program.jsonl.gz');
    const copy = join(folder, 'copy.sqlite');
    expect(await cli('export-program', '--database', database, '--file', file)).toMatchObject({ code: 0 });
    expect(await cli('import-program', '--database', copy, '--file', file)).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^warning: A new, empty program/),
      out: expect.stringMatching(/affiliates +41/),
    });
    expect(await cli('import-program', '--database', copy, '--file', file)).toMatchObject({
      code: 1,
      err: expect.stringContaining('This program is not empty.'),
    });
    expect(await cli('doctor', '--database', copy)).toMatchObject({ code: 0 });
  });

  it('names what is wrong with the file of a program', async () => {
    const whole = join(folder, 'whole.gz');
    expect(await cli('export-program', '--database', database, '--file', whole)).toMatchObject({ code: 0 });
    const bytes = readFileSync(whole);
    const into = (name: string) =>
      cli('import-program', '--database', join(folder, 'torn.sqlite'), '--file', join(folder, name));
    expect(await into('none.gz')).toMatchObject({
      code: 2,
      err: expect.stringContaining('The file of --file does not exist.'),
    });
    expect(existsSync(join(folder, 'torn.sqlite'))).toBe(false);
    writeFileSync(join(folder, 'torn.gz'), bytes.subarray(0, bytes.length >> 1));
    expect(await into('torn.gz')).toMatchObject({
      code: 1,
      err: expect.stringContaining('The file of --file is incomplete.'),
    });
    writeFileSync(join(folder, 'other.gz'), 'not compressed');
    expect(await into('other.gz')).toMatchObject({
      code: 1,
      err: expect.stringContaining('The file of --file is damaged.'),
    });
    const csv = ['migrate', '--from', 'csv', '--csv-affiliates', join(folder, 'none.csv')];
    expect(await cli(...csv, '--database', database)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--csv-affiliates: the file .*none\.csv does not exist/),
    });
  });

  it('lists with a command the options that it reads, and says which word it does not know', async () => {
    const listed = async (command: string) =>
      [...(await cli(command, '--help')).out.matchAll(/^ {2}(--[\w-]+)/gmu)].map(([, option]) => option);
    expect(await listed('backup')).toEqual(['--database', '--file']);
    const person = '--database --table-prefix --host --email --erase --yes';
    expect(await listed('person')).toEqual(person.split(' '));
    expect(await listed('init')).toContain('--database');
    expect((await cli('doctor', '--databse', 'x')).err).toBe(
      "Unknown option '--databse'.\n\naffiliate-service doctor --help\n",
    );
  });

  it('says when there is nothing to import', async () => {
    expect(
      await cli('migrate', '--from', 'slicewp', '--source', source, '--database', database),
    ).toMatchObject({ code: 1, err: expect.stringContaining('no data found') });
  });
});

describe('affiliate-service operations', () => {
  const PAYMENTS = 25;
  const FIRST_STEP = 20;
  const VISITS = 2000;

  /** A program in a file, with a payout of many payments. */
  async function program(): Promise<{ t: TestApp; file: string; payout: number }> {
    const file = join(folder, `operations-${program.count++}.sqlite`);
    const clock = { now: () => Date.now() };
    const t = await startApp({ database: { client: 'better-sqlite3', connection: file }, clock });
    for (let id = 100; id < 100 + PAYMENTS; id++) {
      t.host.addUser({ id, login: `u${id}`, email: `u${id}@shop.test` });
      await earn(t, (await affiliate(t, id)).id, 500);
    }
    const { body } = await t.admin.post('/payouts/process-payout').send({ config: FORM }).expect(200);
    return { t, file, payout: body.payout.id };
  }
  program.count = 0;

  const undo = (t: TestApp, payout: number) =>
    t.admin.post(`/payouts/${payout}/undo`).set('Prefer', 'respond-async').send({}).expect(202);

  it('shows what runs, how fast and how long, and resumes what an error has stopped', async () => {
    const { t, file, payout } = await program();
    expect(await cli('operations', '--database', file)).toEqual({
      code: 0,
      out: 'No operation is running or stopped.\n',
      err: '',
    });
    let [calls, fail] = [0, (): void => {}];
    const inSecondStep = new Promise<void>((resolve) => {
      t.service.hooks.addAction(
        'payout/transaction/deleting',
        () => {
          calls += 1;
          if (calls <= FIRST_STEP) return undefined;
          resolve();
          return new Promise<void>((_, reject) => {
            fail = () => reject(new Error('The bank does not answer at 10.0.0.7.'));
            if (calls > FIRST_STEP + 1 && calls < FIRST_STEP + 4) fail();
          });
        },
        { name: 'bank' },
      );
    });

    await undo(t, payout);
    await inSecondStep;

    const running = await cli('operations', '--database', file);
    expect(running).toMatchObject({ code: 0, err: '' });
    expect(running.out).toMatch(
      new RegExp(`payout_undo +${payout} +running +${FIRST_STEP} +${PAYMENTS} +[\\d.]+ +\\d+\n`),
    );

    fail();
    await t.app.operations.settled();

    const stopped = await cli('operations', '--database', file);
    expect(stopped.code).toBe(1);
    expect(stopped.out).toMatch(new RegExp(`payout_undo +${payout} +stopped +${FIRST_STEP} +${PAYMENTS}\n`));
    expect(stopped.err).toBe(
      `payout_undo ${payout} is stopped. It failed three times: internal_error. The log has the cause. ` +
        'To continue it, run `affiliate-service operations --resume`.\n',
    );

    t.service.hooks.removeAction('payout/transaction/deleting', 'bank');
    expect(await cli('operations', '--database', file, '--resume')).toMatchObject({
      code: 0,
      err: '1 operations are resumed. The running service continues them within a minute.\n',
      out: expect.stringMatching(/payout_undo +\d+ +running/),
    });
    await t.service.jobs.runDue();
    expect(await cli('operations', '--database', file)).toMatchObject({
      code: 0,
      out: 'No operation is running or stopped.\n',
    });
    expect((await t.admin.get(`/payouts/${payout}`).expect(200)).body.payout.total_amount).toBe(0);
  });

  it('says in the words of the rule why an operation was stopped', async () => {
    const { t, file } = await program();
    const kept = await affiliate(t, 2);
    const gone = await affiliate(t, 3);
    const stamps = { created_at: Date.now(), updated_at: Date.now() };
    const visits = Array.from({ length: VISITS }, (_, at) => ({
      affiliate_id: gone.id,
      url: `https://shop.test/${at}`,
      ...stamps,
    }));
    await insertMany(t, 'visits', visits);
    await t.app.ledger.reconcile();
    await t.app.transaction((trx) =>
      t.app.operations.begin(trx, {
        kind: 'merge',
        object_id: gone.id,
        done: 0,
        total: VISITS,
        details: { into: kept.id, part: 0, after_id: 0 },
      }),
    );
    await t.admin.patch(`/affiliates/${kept.id}/status`).send({ status: 'inactive' }).expect(200);

    await t.app.operations.resume();

    const sentence = 'An active affiliate cannot be merged into an inactive one.';
    const { body } = await t.admin.get('/system/state').expect(200);
    expect(body.works).toMatchObject([
      { kind: 'merge', running: false, reason: 'merge_into_inactive', message: sentence },
    ]);
    const { code, err, out } = await cli('operations', '--database', file, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject([
      { kind: 'merge', of: gone.id, running: false, message: sentence },
    ]);
    expect(err).toContain(
      `merge ${gone.id} is stopped. It failed three times: merge_into_inactive. ${sentence}`,
    );

    await t.admin.patch(`/affiliates/${kept.id}/status`).send({ status: 'active' }).expect(200);
    await cli('operations', '--database', file, '--resume');
    await t.service.jobs.runDue();
    await t.admin.get(`/affiliates/${gone.id}`).expect(404);
  });
});
