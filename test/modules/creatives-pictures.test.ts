import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { HostFile } from '../../adapters/host.js';
import { startApp, type TestApp, type TestOptions } from '../support/app.js';

// Pictures of creatives are uploaded (docs/interface.md §10.2).

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const JPEG = Buffer.from(
  'ffd8ffe000104a46494600010100000100010000' +
    'ffc0000b080002000301011100' +
    'ffda0008010100003f00' +
    '00ffd9',
  'hex',
);
const WEBP = Buffer.from('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA=', 'base64');

const PAGE = Buffer.from('<script>alert(1)</script>');
function pngChunk(name: string, data: Buffer): Buffer {
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from(name), data, Buffer.alloc(4)]);
  chunk.writeUInt32BE(data.length);
  return chunk;
}
const gifComment = (text: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x21, 0xfe, text.length]), text, Buffer.alloc(1)]);
function jpegSegment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}
function withWebpChunk(name: string, data: Buffer): Buffer {
  const chunk = Buffer.concat([Buffer.from(name), Buffer.alloc(4), data, Buffer.alloc(data.length % 2)]);
  chunk.writeUInt32LE(data.length, 4);
  const whole = Buffer.concat([WEBP, chunk]);
  whole.writeUInt32LE(whole.length - 8, 4);
  return whole;
}

const folder = mkdtempSync(join(tmpdir(), 'uploads-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = (options: TestOptions = {}): Promise<TestApp> => startApp({ uploads: folder, ...options });

const upload = (t: TestApp, bytes: Buffer, type = 'image/png'): ReturnType<TestApp['admin']['post']> =>
  t.admin.post('/creatives/creatives/pictures').set('Content-Type', type).send(bytes);

describe('a picture that is uploaded', () => {
  it.each([
    ['image/png', PNG, 1, 1],
    ['image/gif', GIF, 1, 1],
    ['image/jpeg', JPEG, 3, 2],
    ['image/webp', WEBP, 1, 1],
  ] as const)(
    'is stored as %s by its content, and served as nothing else',
    async (type, bytes, width, height) => {
      const t = await start();
      const { picture } = (await upload(t, bytes, 'text/html').expect(200)).body;
      expect(picture).toMatchObject({ type, width, height });
      const name = new URL(picture.url).pathname.split('/').at(-1)!;
      expect(picture.url).toBe(`https://shop.test/wp-json/affiliate-service/v2/files/${name}`);
      const answer = await t.anonymous
        .get(`/files/${name}`)
        .buffer(true)
        .parse(collect as never)
        .expect(200);
      expect(answer.headers).toMatchObject({
        'content-type': type,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cache-control': 'public, max-age=31536000, immutable',
      });
      expect(answer.body).toEqual(bytes);
    },
  );

  it('is kept once, and can be the picture of a creative', async () => {
    const t = await start();
    const [one, two] = [await upload(t, PNG).expect(200), await upload(t, PNG).expect(200)];
    expect(one.body.picture.url).toBe(two.body.picture.url);
    const names = readdirSync(folder).filter((name) => name.endsWith('.png'));
    expect(names).toHaveLength(1);
    const { creative } = (
      await t.admin
        .post('/creatives/creatives')
        .send({
          name: 'Banner',
          type: 'image',
          image: one.body.picture.url,
          url: 'https://shop.test/',
          meta: { media_width: 1, media_height: 1, media_type: 'image/png' },
        })
        .expect(200)
    ).body;
    expect(creative).toMatchObject({ image: one.body.picture.url, meta: { media_width: 1 } });
  });

  it.each([
    ['a page', Buffer.from('<html><script>alert(1)</script></html>')],
    ['a vector', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
    ['half a PNG', PNG.subarray(0, 40)],
    ['half a GIF', GIF.subarray(0, -1)],
    ['half a JPEG', JPEG.subarray(0, -2)],
    ['half a WebP', WEBP.subarray(0, 40)],
    ['a page that begins like a GIF', Buffer.from('GIF89a/*<html>*/=1;<script>alert(1)</script>;')],
    [
      'a page that begins like a JPEG',
      Buffer.from('\xff\xd8\xff<script>alert(1)</script>\xff\xd9', 'latin1'),
    ],
    [
      'wider than 10,000 pixels',
      Buffer.concat([GIF.subarray(0, 6), Buffer.from([0x11, 0x27]), GIF.subarray(8)]),
    ],
    ['nothing', Buffer.alloc(0)],
    ['a picture of no size', Buffer.concat([GIF.subarray(0, 6), Buffer.alloc(4), GIF.subarray(10)])],
  ])('is refused when it is %s', async (_name, bytes) => {
    const t = await start();
    const { body } = await upload(t, bytes).expect(422);
    expect(body).toMatchObject({ code: 'picture_invalid' });
  });

  it.each([
    ['PNG, after its end', Buffer.concat([PNG, PAGE])],
    ['PNG, as a text', Buffer.concat([PNG.subarray(0, 33), pngChunk('tEXt', PAGE), PNG.subarray(33)])],
    ['GIF, after its end', Buffer.concat([GIF, PAGE, Buffer.from(';')])],
    ['GIF, as a comment', Buffer.concat([GIF.subarray(0, 19), gifComment(PAGE), GIF.subarray(19)])],
    ['JPEG, after its end', Buffer.concat([JPEG, PAGE, Buffer.from('ffd9', 'hex')])],
    ['JPEG, as a comment', Buffer.concat([JPEG.subarray(0, 2), jpegSegment(0xfe, PAGE), JPEG.subarray(2)])],
    ['JPEG, as XMP', Buffer.concat([JPEG.subarray(0, 2), jpegSegment(0xe1, PAGE), JPEG.subarray(2)])],
    ['WebP, after its end', Buffer.concat([WEBP, PAGE])],
    ['WebP, as XMP', withWebpChunk('XMP ', PAGE)],
  ])('is stored without a page hidden in it: %s', async (name, bytes) => {
    const t = await start();
    const { picture } = (await upload(t, bytes).expect(200)).body;
    const original = { PNG, GIF, JPEG, WebP: WEBP }[name.split(',')[0]!];
    expect(readFileSync(join(folder, new URL(picture.url).pathname.split('/').at(-1)!))).toEqual(original);
  });

  it('is stored without the place of a photo, and upright as before', async () => {
    const t = await start();
    const turned =
      '4d4d002a00000008' + '0002' + '010f000200000004414243000112000300000001' + '00060000' + '00000000';
    const exif = jpegSegment(0xe1, Buffer.from(`457869660000${turned}`, 'hex'));
    const photo = Buffer.concat([JPEG.subarray(0, 2), exif, JPEG.subarray(2)]);
    const { picture } = (await upload(t, photo).expect(200)).body;
    const stored = readFileSync(join(folder, new URL(picture.url).pathname.split('/').at(-1)!));
    expect(stored.includes('ABC')).toBe(false);
    expect(stored.includes(Buffer.from('01120003000000010006', 'hex'))).toBe(true);
    expect(picture).toMatchObject({ type: 'image/jpeg', width: 3, height: 2 });
    expect((await upload(t, stored).expect(200)).body.picture.url).toBe(picture.url);
  });

  it('is refused beyond 5 MiB', async () => {
    const t = await start();
    const { body } = await upload(t, Buffer.alloc(5 * 1024 * 1024 + 1)).expect(413);
    expect(body).toMatchObject({ code: 'payload_too_large' });
  });

  it('goes to the storage of the host, where there is one', async () => {
    const kept: HostFile[] = [];
    const t = await start();
    Object.assign(t.host, {
      files: {
        put: async (file: HostFile) => {
          kept.push(file);
          return { url: `https://cdn.test/${file.name}` };
        },
      },
    });
    const { picture } = (await upload(t, PNG).expect(200)).body;
    expect(picture.url).toMatch(/^https:\/\/cdn\.test\/[0-9a-f]{40}\.png$/);
    expect(kept[0]).toMatchObject({ type: 'image/png', width: 1, height: 1 });
  });

  it('needs a place to be kept, and a name that exists', async () => {
    const t = await startApp({});
    expect((await upload(t, PNG).expect(422)).body).toMatchObject({ code: 'uploads_off' });
    const own = await start();
    for (const name of ['..%2f..%2fetc%2fpasswd', 'x.png', `${'0'.repeat(40)}.png`])
      expect((await own.admin.get(`/files/${name}`)).status).toBe(404);
  });
});

type Collected = (error: Error | null, body: Buffer) => void;
function collect(res: NodeJS.ReadableStream, done: Collected): void {
  const parts: Buffer[] = [];
  res.on('data', (part: Buffer) => parts.push(part));
  res.on('end', () => done(null, Buffer.concat(parts)));
}
