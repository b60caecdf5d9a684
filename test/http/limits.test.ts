import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startHarness, type Harness } from './harness.js';
import { fixtureRoutes } from './routes-fixture.js';
import { stopwatch } from '../support/cpu.js';

let t: Harness;
beforeAll(async () => {
  t = await startHarness(fixtureRoutes);
});
afterAll(() => t.close());

const json = (text: string | Buffer, headers: Record<string, string> = {}) =>
  t
    .send(1, 'post', '/things')
    .set({ 'Content-Type': 'application/json', ...headers })
    .serialize((body: unknown) => body as string)
    .send(text as string);
const form = (text: string) => t.send(1, 'post', '/things').type('form').send(text);

describe('input limits', () => {
  it.each<[string, () => ReturnType<typeof json>, number, string]>([
    ['a body of 2 MiB', () => json(`{"title":"${'x'.repeat(2_097_152)}"}`), 413, 'payload_too_large'],
    [
      'a gzip bomb',
      () => json(gzipSync(`{"title":"${'x'.repeat(50_000_000)}"}`), { 'Content-Encoding': 'gzip' }),
      413,
      'payload_too_large',
    ],
    ['broken gzip', () => json('no gzip', { 'Content-Encoding': 'gzip' }), 400, 'rest_invalid_json'],
    ['an unknown encoding', () => json('{}', { 'Content-Encoding': 'zstd' }), 415, 'unsupported_media_type'],
    ['400,000 brackets', () => json('['.repeat(400_000) + ']'.repeat(400_000)), 413, 'payload_too_large'],
    [
      'nesting of 17',
      () => json(`{"title":"abc","extra":${'['.repeat(17)}${']'.repeat(17)}}`),
      413,
      'payload_too_large',
    ],
    ['form nesting of 17', () => form(`title=abc&extra${'[a]'.repeat(17)}=1`), 413, 'payload_too_large'],
    ['5,001 parameters', () => form(`title=abc&${'a=1&'.repeat(5001)}`), 413, 'payload_too_large'],
    [
      'a list of 5,001',
      () => json(JSON.stringify({ title: 'abc', ids: Array(5001).fill(1) })),
      413,
      'payload_too_large',
    ],
    [
      'a key of 201',
      () => json(JSON.stringify({ title: 'abc', ['k'.repeat(201)]: 1 })),
      413,
      'payload_too_large',
    ],
    [
      'XML',
      () => t.send(1, 'post', '/things').type('application/xml').send('<a/>'),
      415,
      'unsupported_media_type',
    ],
    [
      'another charset',
      () => t.send(1, 'post', '/things').set('Content-Type', 'application/json; charset=latin1').send('{}'),
      415,
      'unsupported_media_type',
    ],
    ['multipart', () => t.send(1, 'post', '/things').field('title', 'abc'), 415, 'unsupported_media_type'],
    ['an address of 9 KiB', () => t.send(1, 'post', `/things?x=${'x'.repeat(9000)}`), 414, 'uri_too_long'],
    ['a JSON scalar', () => json('5'), 400, 'rest_invalid_json'],
  ])('%s is refused', async (_name, send, status, code) => {
    const { body } = await send().expect(status);
    expect(body).toMatchObject({ code, data: { status } });
  });

  it.each<[string, () => ReturnType<typeof json>]>([
    ['gzip', () => json(gzipSync('{"title":"abc"}'), { 'Content-Encoding': 'gzip' })],
    ['nesting of 12', () => form(`title=abc&extra${'[a]'.repeat(12)}=1`)],
    [
      'an indexed list of 4,900',
      () => form(`title=abc&${Array.from({ length: 4900 }, (_, i) => `ids[${i}]=${i + 1}`).join('&')}`),
    ],
    ['an almost full body', () => json(JSON.stringify({ title: 'abc', extra: 'x'.repeat(1_040_000) }))],
  ])('%s is taken, quickly', async (_name, send) => {
    const ms = stopwatch();
    await send().expect(200);
    expect(ms()).toBeLessThan(5000);
  });

  it('accepts an empty JSON list and no body as an empty object', async () => {
    for (const request of [json('[]'), json('null'), t.send(1, 'post', '/things')]) {
      const { body } = await request.expect(422);
      expect(body.errors.title.required).toBeDefined();
    }
  });

  it('leaves prototypes alone', async () => {
    await json(
      '{"title":"abc","__proto__":{"polluted":1},"extra":{"constructor":{"prototype":{"polluted":1}},"__proto__":{"polluted":1}}}',
    ).expect(200);
    await form(
      'title=abc&__proto__[polluted]=1&constructor[prototype][polluted]=1&extra[__proto__][polluted]=1',
    ).expect(200);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
