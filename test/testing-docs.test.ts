import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { temporaryFolder } from './support/folders.js';
import { readText, ROOT } from './support/sources.js';

// docs/testing.md as a newcomer meets it: its blocks run against the built package, in each runner that is here.

const blocks = [...readText('docs/testing.md').matchAll(/```js(?: file=[\w.]+)?\n([\s\S]*?)```/g)].map(
  ([, text = '']) => text,
);

function run(
  files: Readonly<Record<string, string>>,
  args: readonly string[],
  environment: object = {},
): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules', 'affiliate-service'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  // The runner of a test inside this one must not take itself for a part of this one.
  const { NODE_TEST_CONTEXT: _outer, ...rest } = process.env;
  const { status, stdout, stderr, error } = spawnSync(process.execPath, ['--no-warnings', ...args], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 120_000,
    env: { ...rest, ...environment },
  });
  if (error) throw error;
  expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
  return stdout + stderr;
}

it('runs under node:test, and ends by itself', () => {
  expect(run({ 'checkout.test.mjs': blocks[0]! }, ['--test', 'checkout.test.mjs'])).toMatch(/pass 1\b/);
});

it('runs under plain Jest with the documented settings', () => {
  const text = blocks[0]!
    .replaceAll(/^import .* from 'node:.*\n/gm, '')
    .replace(/assert\.equal\((.*), (\w+)\)/, 'expect($1).toBe($2)');
  const [, settings = ''] = /```json\n([\s\S]*?)```/.exec(readText('docs/testing.md')) ?? [];
  const result = run(
    { 'checkout.test.mjs': text, 'package.json': settings },
    [join(ROOT, 'node_modules/jest/bin/jest.js')],
    { NODE_OPTIONS: '--experimental-vm-modules' },
  );
  expect(result).toContain('1 passed');
});

it('shows programs that run', () => {
  expect(run({ 'own.mjs': blocks[1]! }, ['own.mjs'])).toBe('no_cookie\n');
  expect(run({ 'vouchers.mjs': blocks[2]! }, ['vouchers.mjs'])).toBe("[ '20.00' ]\n");
  const result = run({ 'story.mjs': blocks[3]! }, ['story.mjs']);
  for (const step of ['click', 'order', 'renewal', 'refund', 'dispute', 'payout', 'returned'])
    expect(result).toContain(`${step} `);
});
