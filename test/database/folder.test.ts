import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { createMemoryHost } from '../../adapters/memory-host.js';
import { createAffiliateService } from '../../src/service/service.js';
import { temporaryFolder } from '../support/folders.js';
import { testLog } from './support.js';

const before = process.cwd();
afterEach(() => process.chdir(before));

/** Threads of the tests load their sources by a path relative to the folder of the process. */
function folder(): string {
  const made = temporaryFolder();
  symlinkSync(join(before, 'test'), join(made, 'test'));
  return made;
}

it.each(['affiliates.sqlite', 'sqlite:affiliates.sqlite', { filename: './affiliates.sqlite' }])(
  'a relative file of SQLite stays where it was when the host changes its folder: %j',
  async (connection) => {
    const [first, second] = [folder(), folder()];
    process.chdir(first);
    const service = createAffiliateService(
      createMemoryHost({
        users: [{ id: 2, login: 'alice', email: 'alice@shop.test', display_name: 'Alice' }],
      }),
      {
        database: { client: 'better-sqlite3', connection },
        secret: 'a secret that is long enough for the tests',
        jobs: false,
        logger: testLog(),
      },
    );
    process.chdir(second);
    await service.ready();
    const alice = await service.affiliates.create({ user_id: 2, status: 'active' });
    process.chdir(before);

    expect(await service.affiliates.list()).toMatchObject({ rows: [{ id: alice.id }] });
    expect(await service.verify()).toEqual([]);
    await service.close();
    expect(readdirSync(first)).toContain('affiliates.sqlite');
    expect(readdirSync(second)).toEqual(['test']);
  },
);
