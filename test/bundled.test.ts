import { spawnSync } from 'node:child_process';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { temporaryFolder } from './support/folders.js';
import { ROOT } from './support/sources.js';

it('says what to do when a bundler has left the files of console and portal behind', () => {
  const folder = temporaryFolder();
  for (const part of ['src', 'adapters', 'frameworks', 'shared', 'console/server'])
    cpSync(join(ROOT, 'dist', part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(folder, 'site.js'),
    `import { createAffiliateService } from './src/index.js';
import { createMemoryHost } from './adapters/index.js';
import { portalApp } from './console/server/index.js';
const logger = { debug() {}, info() {}, warn() {}, error() {} };
const database = { client: 'better-sqlite3', connection: ':memory:' };
const service = createAffiliateService(createMemoryHost(), { database, logger, jobs: false });
const req = { method: 'GET', url: '/', headers: { accept: 'text/html' }, socket: {} };
const res = { setHeader() {}, getHeader() {}, end() {} };
portalApp(service)(req, res, (error) => console.log(error?.message));
`,
  );
  const { stdout, stderr } = spawnSync(process.execPath, ['site.js'], { cwd: folder, encoding: 'utf8' });
  expect(stdout + stderr).toContain('keep `affiliate-service` external');
});
