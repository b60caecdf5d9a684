import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
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
    ['a picture with a page behind it', Buffer.concat([PNG, Buffer.from('<script>alert(1)</script>')])],
    ['half a picture', PNG.subarray(0, 40)],
    ['nothing', Buffer.alloc(0)],
    ['a picture of no size', Buffer.concat([GIF.subarray(0, 6), Buffer.alloc(4), GIF.subarray(10)])],
  ])('is refused when it is %s', async (_name, bytes) => {
    const t = await start();
    const { body } = await upload(t, bytes).expect(422);
    expect(body).toMatchObject({ code: 'picture_invalid' });
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
