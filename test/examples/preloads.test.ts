import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect, it } from '@jest/globals';
import { temporaryFolder } from '../support/folders.js';

// Runs what was built: in a copy of the repository, threads need its loader of TypeScript.

it.each(['--require', 'NODE_OPTIONS'])(
  'the thread of SQLite does not load again what the host preloads: %s',
  (way) => {
    const folder = temporaryFolder();
    writeFileSync(`${folder}/preload.cjs`, "process.stdout.write('preloaded\\n');");
    const dist = (path: string): string => pathToFileURL(`dist/${path}`).href;
    writeFileSync(
      `${folder}/host.mjs`,
      `import { createAffiliateService, silentLogger } from '${dist('src/index.js')}';
     import { createMemoryHost } from '${dist('adapters/index.js')}';
     const database = { client: 'better-sqlite3', connection: '${folder}/program.sqlite' };
     const service = createAffiliateService(createMemoryHost(), { database, logger: silentLogger, jobs: false });
     const { total } = await service.affiliates.list();
     process.stdout.write('affiliates: ' + total);
     await service.close();`,
    );
    const preload = ['--require', `${folder}/preload.cjs`];
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [...(way === '--require' ? preload : []), `${folder}/host.mjs`],
      {
        encoding: 'utf8',
        timeout: 60_000,
        env: { ...process.env, NODE_OPTIONS: way === 'NODE_OPTIONS' ? preload.join(' ') : '' },
      },
    );
    expect([stdout, stderr]).toEqual(['preloaded\naffiliates: 0', '']);
  },
);
