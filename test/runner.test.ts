import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { temporaryFolder } from './support/folders.js';
import { ROOT } from './support/sources.js';

const HEAD = "import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';\n";

/** What jest says of a file of tests, run as the tests of this project are. */
function run(text: string, ...args: string[]): { code: number | null; output: string } {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'one.test.mjs'), HEAD + text);
  const config = {
    rootDir: folder,
    testMatch: ['**/*.test.mjs'],
    transform: {},
    testRunner: join(ROOT, 'test/support/plain-runner.mjs'),
  };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['node_modules/jest/bin/jest.js', '--config', JSON.stringify(config), ...args],
    { cwd: ROOT, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined } },
  );
  return { code: status, output: stdout + stderr };
}

// Jest runs our tests through a runner of our own (test/support/plain-runner.mjs): what is wrong has to stop a run.
describe('a run of tests', () => {
  it.each([
    ['a wrong value', "it('adds', () => expect(1 + 1).toBe(3));", 'Expected: 3'],
    ['an error', "it('throws', async () => { throw new Error('out of order'); });", '> 2 |'],
    [
      'an error nobody waits for',
      "it('forgets', () => { void Promise.reject(new Error('late')); });",
      'late',
    ],
    ['a test over its time', "it('hangs', () => new Promise(() => {}), 20);", 'Exceeded timeout of 20 ms'],
    ['a hook', "beforeAll(() => { throw new Error('no table'); }); it('goes', () => {});", 'no table'],
    [
      'a hook at the end',
      "afterAll(() => { throw new Error('left open'); }); it('goes', () => {});",
      'left open',
    ],
    [
      'a hook after each',
      "afterEach(() => { expect('books').toBe('balanced'); }); it('goes', () => {});",
      'balanced',
    ],
    ['a file that throws', "it('goes', () => {}); throw new Error('not loaded');", '> 2 |'],
    ['a file without tests', '', 'must contain at least one test'],
    ['an import of nothing', "import { nothing } from 'node:fs'; it('goes', () => nothing());", 'nothing'],
  ])('fails by %s', (_what, text, message) => {
    const { code, output } = run(text);
    expect(output).toContain(message);
    expect(code).toBe(1);
  });

  it('passes when all is well, and runs the tests that are named', () => {
    const text = "it('one', () => {}); it.each([2, 3])('number %d', (n) => expect(n).toBe(2));";
    expect(run(text)).toMatchObject({
      code: 1,
      output: expect.stringContaining('1 failed, 2 passed, 3 total'),
    });
    expect(run(text, '-t', 'one|number 2')).toMatchObject({
      code: 0,
      output: expect.stringContaining('1 skipped, 2 passed, 3 total'),
    });
  });
});
