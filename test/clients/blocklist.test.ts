import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import request from 'supertest';

/**
 * Lines of lists that content blockers use, those whose words a tracker's path is likely to have:
 * plain parts of an address.
 */
const LINES = readFileSync(new URL('blocklist.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter(Boolean);
const isBlocked = (address: string): boolean => LINES.some((line) => address.includes(line));

it('serves the browser script under a path that content blockers let through', async () => {
  const t = await startApp();
  const { scriptPath } = t.app.options.tracking;
  await request(t.server)
    .get(scriptPath)
    .expect(200)
    .expect('Content-Type', /javascript/);
  expect(isBlocked(`https://shop.test${scriptPath}`)).toBe(false);
  expect(scriptPath).not.toMatch(/affil|track|click|visit|beacon|stat|analytic|pixel|collect|count/i);
  expect(isBlocked('https://shop.test/affiliate-tracker.js')).toBe(true);
});
