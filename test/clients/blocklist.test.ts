import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import request from 'supertest';
import { startApp } from '../support/app.js';

/**
 * Lines of EasyPrivacy and EasyList that hold for every site, those whose words a
 * tracker's path is likely to have.
 * Options are left out: they only narrow a line.
 */
const LINES = readFileSync(new URL('blocklist.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => new RegExp(line.replace(/[*^|]|[.+?${}()[\]\\/]/g, asPattern), 'i'));

/** `*` is anything, `^` a character that ends a part of an address, and `|` the end of the address. */
function asPattern(sign: string): string {
  return { '*': '.*', '^': '(?:[^\\w.%-]|$)', '|': '$' }[sign] ?? `\\${sign}`;
}

const isBlocked = (address: string): boolean => LINES.some((line) => line.test(address));

it('serves script, clicks and orders under paths that content blockers let through', async () => {
  for (const options of [{}, { compat: 'fluent-affiliate' }] as const) {
    const t = await startApp(options);
    const { scriptPath, path } = t.app.options.tracking;
    const { text } = await request(t.server)
      .get(scriptPath)
      .expect(200)
      .expect('Content-Type', /javascript/);
    const call = t.service.basePath + path;
    expect(text).toContain(`"request_url":"${call}"`);
    for (const address of [scriptPath, call, `${call}/conversion`])
      expect([address, isBlocked(`https://shop.test${address}`)]).toEqual([address, false]);
  }
});

it.each([
  ['/affiliate-tracker.js', true],
  ['/AffTrack.js', true],
  ['/analytics/track', true],
  ['/analytics/tracks', false],
  ['/track?page=1&event=click', true],
  ['/track.gif', true],
  ['/track.gif?x', true],
  ['/track.gifs', false],
  ['/api/v1/track/click', true],
])('blocked as a content blocker would: %s %s', (path, blocked) => {
  expect(isBlocked(`https://shop.test${path}`)).toBe(blocked);
});
