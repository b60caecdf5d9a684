// Every block of code in README.md, docs and the pages of the package, against the packed package in a clean
// folder: compiled, and what is a whole program is run by its tests there. `npm run check:pkg` calls it.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGES = (root) => [
  'README.md',
  'adapters/README.md',
  'hooks/README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/**
 * What a block that is a part of something bigger takes from its surroundings. Vendure has no types here:
 * `npm run test:init vendure` runs its files in a real Vendure.
 */
const SURROUNDINGS = `
declare const service: import('affiliate-service').AffiliateService;
declare const host: import('affiliate-service/adapters').HostAdapter;
declare const rest: import('affiliate-service/adapters').HostAdapter;
declare const createAffiliateService: typeof import('affiliate-service').createAffiliateService;
declare const HookVeto: typeof import('affiliate-service/hooks').HookVeto;
declare const app: import('express').Express;
declare const req: import('node:http').IncomingMessage;
declare const admin: import('affiliate-service/adapters').HostUser;
declare const user: import('affiliate-service/adapters').HostUser;
declare const requestOfANewSignInOf: (user: import('affiliate-service/adapters').HostUser | null) => import('node:http').IncomingMessage;
declare const signOutAndSendTheOldCookie: (req: import('node:http').IncomingMessage) => import('node:http').IncomingMessage;
declare const clock: { advance(by: { hours: number }): void };
declare const database: { destroy(): Promise<void> };
declare const sessions: { userOf(cookie: string | undefined): Promise<object>; idOf(req: import('node:http').IncomingMessage): string };
declare const rights: { has(userId: number, capability: string): boolean };
declare const people: { whereIds(ids: readonly number[]): Promise<object[]>; search(text: string, limit: number): Promise<object[]> };
declare const toHostUser: (row: object) => import('affiliate-service/adapters').HostUser;
declare const queue: { push(item: unknown): void };
declare const till: any;
declare const secrets: readonly string[];
declare module '@nestjs/common';
declare module '@nestjs/core';
declare module '@vendure/core' {
  export type VendureConfig = any;
  export const Administrator: any, Customer: any, EventBus: any, Logger: any, Order: any, PluginCommonModule: any;
  export const OrderStateTransitionEvent: any, RefundStateTransitionEvent: any, SessionService: any;
  export const TransactionalConnection: any, VendurePlugin: any;
}
declare module '*/plugin.mjs';
declare namespace NodeJS {
  interface ProcessEnv { SITE_SECRET: string; STRIPE_SECRET: string; STRIPE_KEY: string }
}
`;

/**
 * JavaScript has no words for types: it reads what came over the wire, what another middleware put on a request and
 * the port of a server as they are, takes numbers for amounts (`minor()` is for TypeScript).
 */
const UNTYPED =
  /TS2339: Property '\w+' does not exist on type '(?:unknown|\{\}|string \| AddressInfo|IncomingMessage)'|is not assignable to type 'ProviderOrder'/;

/** `{ name, text, isScript }` of each block of a page; a block with a file name keeps it. */
function blocksOf(root, page) {
  const place = page.replaceAll(/\W+/g, '-');
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^```(js|ts)\b([^\n]*)\n([\s\S]*?)^```$/gm)].map(([, kind, more, code], at) => {
    const file = /file=([\w.]+)/.exec(more)?.[1];
    const folder = join(place, file === undefined ? String(at) : 'files');
    return { name: join(folder, file ?? `block.m${kind}`), code };
  });
}

/**
 * The caller gives `run(title, command, args, folder, environment)`, `report(title, isGood, output)` and
 * `install(folder, ...packages)`.
 */
export function checkDocuments({ root, folder, tarball, bin, run, report, install, isRunOnly }) {
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'documents', private: true, type: 'module' }),
  );
  const version = (name) =>
    JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version;
  const same = ['express', 'fastify', 'hono', '@hono/node-server', 'koa', '@types/express', '@types/node'];
  install(
    folder,
    tarball,
    ...same.map((name) => `${name}@${version(name)}`),
    `express4@npm:express@${version('express4')}`,
  );

  const blocks = PAGES(root).flatMap((page) => blocksOf(root, page));
  for (const { name, code } of blocks) {
    mkdirSync(join(folder, 'blocks', name, '..'), { recursive: true });
    // A block that imports nothing is a module, too, and may wait for promises.
    writeFileSync(
      join(folder, 'blocks', name),
      `${code}${/^(?:im|ex)port /m.test(code) ? '' : 'export {};\n'}`,
    );
  }
  if (!isRunOnly) compileBlocks({ folder, blocks, bin, report });
  const jest = ['--no-warnings', '--import', './test/support/ts-loader.mjs'];
  run(
    'run the programs of the documents',
    process.execPath,
    [...jest, 'node_modules/jest/bin/jest.js', 'test/host-docs.test.ts', 'test/docs.test.ts'],
    root,
    { DOCUMENTS_FOLDER: folder },
  );
}

function compileBlocks({ folder, blocks, bin, report }) {
  writeFileSync(join(folder, 'surroundings.d.ts'), SURROUNDINGS);
  const strict = {
    module: 'nodenext',
    moduleResolution: 'nodenext',
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
    strict: true,
    skipLibCheck: false,
    noEmit: true,
  };
  const script = { ...strict, allowJs: true, checkJs: true, noImplicitAny: false, strictNullChecks: false };
  for (const [kind, compilerOptions, files] of [
    ['TypeScript', strict, 'blocks/**/*.mts'],
    ['JavaScript', script, 'blocks/**/*.mjs'],
  ]) {
    const config = join(folder, `tsconfig.${kind}.json`);
    writeFileSync(config, JSON.stringify({ compilerOptions, include: [files, 'surroundings.d.ts'] }));
    const count = blocks.filter(({ name }) => name.endsWith(kind === 'TypeScript' ? '.mts' : '.mjs')).length;
    const { stdout } = spawnSync(bin('tsc'), ['-p', config], { cwd: folder, encoding: 'utf8' });
    const wrong = stdout
      .split(/\n(?! )/)
      .filter((each) => each.includes('error TS') && !(kind === 'JavaScript' && UNTYPED.test(each)));
    report(
      `compile ${count} blocks of ${kind} in the documents`,
      count > 0 && wrong.length === 0,
      wrong.join('\n'),
    );
  }
}
