import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { createMemoryHost } from '../adapters/memory-host.js';
import { createAffiliateService, type AffiliateServiceOptions, type Extension } from '../src/index.js';
import { testLog } from './database/support.js';
import { testDatabase } from './support/databases.js';

const PROGRAM = ['--no-warnings', '--import', './test/support/ts-loader.mjs', 'test/support/unclosed.ts'];

/** Runs a program that does not close its service; it fails when the program does not end by itself. */
async function run(use: string): Promise<{ status: number | null; output: string; errors: string }> {
  const database = await testDatabase({ purpose: 'unclosed', shared: true });
  const given = [use, JSON.stringify(database), database.connection];
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [...PROGRAM, ...given], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  if (error) throw error;
  return { status, output: stdout, errors: stderr };
}

describe('a program that never closes the service', () => {
  it.each([
    ['created', 'a file exists: false\n'],
    ['used', 'affiliates: 1\n'],
    ['mounted', 'mounted\n'],
    ['disposed', 'The affiliate service is closed.\n'],
  ])('ends by itself: %s', async (use, output) => {
    expect(await run(use)).toEqual({ status: 0, output, errors: '' });
  });

  it('ends by itself when it is a test that fails', async () => {
    const { status, output } = await run('tested');
    expect(status).toBe(1);
    expect(output).toContain('the assertion that failed');
  });
});

const serviceOf = async (options: AffiliateServiceOptions = {}) =>
  createAffiliateService(createMemoryHost({ users: [{ id: 2, login: 'alice' }] }), {
    database: await testDatabase({ purpose: 'calls', shared: true }),
    secret: 'a secret that is long enough for the tests',
    jobs: false,
    logger: testLog(),
    ...options,
  });

describe('calls from code', () => {
  it('wait for the database, which the first of them opens', async () => {
    const service = await serviceOf();
    const copy = service.imports.exportProgram();
    const [found, listed, features, rows, due, keys] = await Promise.all([
      service.affiliates.findByUser(7),
      service.referrals.list(),
      service.settings.features.list(),
      copy.next(),
      service.jobs.runDue(),
      service.permissions.getPermissions(2),
    ]);
    expect([found, listed.total, keys]).toEqual([null, 0, []]);
    expect(features.length).toBeGreaterThan(0);
    expect(rows.done).toBe(false);
    await copy.return(undefined); // it reads in a transaction, which closing waits for
    expect(due.length).toBeGreaterThan(0);
    await service.close();
  });

  it('say that the service is closed', async () => {
    const service = await serviceOf();
    await service.ready();
    await service.close();
    const closed = { code: 'service_closed', message: 'The affiliate service is closed.' };
    await expect(service.affiliates.list()).rejects.toMatchObject(closed);
    await expect(service.users.idOf(1)).rejects.toMatchObject(closed);
    await expect(service.conversions.find('shop', 'A-1')).rejects.toMatchObject(closed);
    await expect(service.ready()).rejects.toMatchObject(closed);
  });

  it('say so too where `await using` has closed it', async () => {
    const left = await (async () => {
      await using service = await serviceOf();
      await service.ready();
      return service;
    })();
    await expect(left.affiliates.list()).rejects.toMatchObject({ code: 'service_closed' });
  });

  it('say why there is no database', async () => {
    const service = await serviceOf({
      database: { client: 'better-sqlite3', connection: '/no/such/folder/file.sqlite' },
    });
    const failure = await service.affiliates.list().catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'not_started',
      cause: { message: expect.stringContaining('directory does not exist') },
    });
    await service.close();
  });
});

describe('an extension', () => {
  it('may call the service while it is set up, and is closed with it', async () => {
    const output: string[] = [];
    const service = await serviceOf({
      extensions: [
        {
          name: 'members',
          async setup(own) {
            await own.groups.create({ meta_key: 'Members', rate_type: 'default', status: 'active' });
            output.push('set up');
          },
          close: () => {
            output.push('closed');
          },
        },
      ],
    });
    await service.ready();
    expect(output).toEqual(['set up']);
    expect(await service.groups.names()).toMatchObject([{ name: 'Members' }]);
    await service.close();
    expect(output).toEqual(['set up', 'closed']);
  });

  it.each<[string, Extension['setup']]>([
    ['throws', () => fails()],
    ['rejects', async () => fails()],
  ])('that %s is named, and the service does not start', async (_, setup) => {
    const starting = (async () => {
      const service = await serviceOf({ extensions: [{ name: 'points', setup }] });
      try {
        await service.ready();
      } finally {
        await service.close();
      }
    })();
    await expect(starting).rejects.toThrow('The extension "points" could not be set up: no API key');
  });
});

function fails(): never {
  throw new Error('no API key');
}
