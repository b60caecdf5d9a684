// `npm run test:openapi`: two linters accept the OpenAPI document without a word, two generators make types
// of it, and calls compile against them. The tools are installed into a temporary folder with a TypeScript of
// their own; OPENAPI_TOOLS names a folder that keeps them for the next run.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAffiliateService, silentLogger } from '../../dist/src/index.js';
import { createMemoryHost } from '../../dist/adapters/index.js';
import { FETCH_CALLS, SDK_CALLS } from './calls.mjs';

const TOOLS = {
  '@hey-api/openapi-ts': '0.99.0',
  '@redocly/cli': '2',
  '@stoplight/spectral-cli': '6',
  'openapi-fetch': '0.17',
  'openapi-typescript': '7.13',
  typescript: '5.9',
};
const keep = process.env.OPENAPI_TOOLS;
const work = keep ?? mkdtempSync(join(tmpdir(), 'affiliate-openapi-'));
let failed = 0;

/** Runs a tool; what it prints must not match `refused`. */
function step(title, [command, ...args], refused = /(?!)/) {
  const { status, signal, error, stdout, stderr } = spawnSync(command, args, {
    cwd: work,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(work, 'node_modules', '.bin')}:${process.env.PATH}` },
  });
  const printed = `${stdout}${stderr}${signal ?? ''}${error ?? ''}`.trim();
  const isFine = status === 0 && !refused.test(printed);
  process.stdout.write(`${isFine ? 'ok  ' : 'FAIL'} ${title}\n`);
  if (isFine) return;
  failed += 1;
  process.stdout.write(`${printed.replaceAll(/^/gm, '     ')}\n`);
}

async function documentOf(url) {
  const host = createMemoryHost({ site: { url, name: 'Shop' }, users: [] });
  const service = createAffiliateService(host, {
    database: { client: 'better-sqlite3', connection: ':memory:' },
    secret: 'only for the document, 32 characters',
    jobs: false,
    logger: silentLogger,
  });
  await service.ready();
  const document = JSON.stringify(service.openapi(), null, 1);
  await service.close();
  return document;
}

try {
  mkdirSync(work, { recursive: true });
  const write = (file, text) => writeFileSync(join(work, file), text);
  write('package.json', JSON.stringify({ private: true, type: 'module', dependencies: TOOLS }));
  write('openapi.json', await documentOf('https://shop.test'));
  write('.spectral.yaml', 'extends: ["spectral:oas"]\n');
  write('fetch.ts', FETCH_CALLS);
  write('sdk.ts', SDK_CALLS);
  if (!existsSync(join(work, 'node_modules')))
    step('tools are installed', ['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts']);
  step('redocly accepts the document', ['redocly', 'lint', 'openapi.json'], /You have \d+ warning/);
  step('spectral accepts the document', ['spectral', 'lint', '--fail-severity', 'hint', 'openapi.json']);
  step('openapi-typescript makes types', ['openapi-typescript', 'openapi.json', '-o', 'types.ts']);
  step('@hey-api/openapi-ts makes a client', ['openapi-ts', '-i', 'openapi.json', '-o', 'client']);
  const strict = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'esnext'];
  const compile = ['tsc', ...strict, '--moduleResolution', 'bundler', '--lib', 'es2022,dom,dom.iterable'];
  step('ten calls compile against the types', [...compile, 'fetch.ts']);
  step('ten calls compile against the client', [...compile, 'sdk.ts']);
} finally {
  if (keep === undefined) rmSync(work, { recursive: true });
}
process.exitCode = failed === 0 ? 0 : 1;
