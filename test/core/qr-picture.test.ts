import { inflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { readPicture } from '../../src/core/picture.js';
import { qrPng, qrSvg } from '../../src/core/qr-picture.js';

const TEXT = 'https://shop.test/?ref=1&utm_medium=qr';
const BLACK = { dark: '#000', light: '#ffffff' };

/** The dark modules, as `x y`. */
function darkOfSvg(svg: string): string[] {
  return [...svg.matchAll(/M(\d+) (\d+)\.5h(\d+)/g)].flatMap(([, x, y, length]) =>
    Array.from({ length: Number(length) }, (_, at) => `${Number(x) + at} ${y}`),
  );
}

/** The same, from the first pixel of each module. */
function darkOfPng(png: Buffer, modules: number): string[] {
  const { width } = readPicture(png)!;
  const data = png.indexOf('IDAT') + 4;
  const pixels = inflateSync(png.subarray(data, data + png.readUInt32BE(data - 8)));
  const isDark = (x: number, y: number): boolean =>
    (pixels[y * (1 + Math.ceil(width / 8)) + 1 + (x >> 3)]! & (0x80 >> (x & 7))) !== 0;
  const first = (module: number): number => Math.ceil((module * width) / modules);
  return Array.from({ length: modules * modules }, (_, at) => [at % modules, Math.floor(at / modules)])
    .filter(([x = 0, y = 0]) => isDark(first(x), first(y)))
    .map(([x, y]) => `${x} ${y}`);
}

describe('the picture of a QR code', () => {
  it.each([64, 333, 512])('has the same modules in a PNG of %d pixels as in SVG', async (width) => {
    const svg = await qrSvg(TEXT, BLACK);
    const png = await qrPng(TEXT, BLACK, width);

    expect(svg).toContain('viewBox="0 0 37 37"');
    expect(readPicture(png)).toEqual({ type: 'image/png', width, height: width, content: png });
    expect(darkOfPng(png, 37)).toEqual(darkOfSvg(svg));
  });

  it('has a blank border of four modules', async () => {
    const dark = darkOfSvg(await qrSvg(TEXT, BLACK)).map((place) => place.split(' ').map(Number));
    expect([Math.min(...dark.flat()), Math.max(...dark.flat())]).toEqual([4, 32]);
  });

  it('is wider than asked when the code has more modules than pixels', async () => {
    const png = await qrPng(TEXT.padEnd(500, 'x'), BLACK, 64);
    expect(readPicture(png)?.width).toBe(93 * 4);
  });

  it('has colors with opacity', async () => {
    const colors = { dark: '#1238', light: '#fafafa40' };
    const svg = await qrSvg(TEXT, colors);
    const png = await qrPng(TEXT, colors, 64);

    expect(svg).toContain('fill="#fafafa" fill-opacity="0.25"');
    expect(svg).toContain('stroke="#112233" stroke-opacity="0.53"');
    expect(png.includes(Buffer.from('504c5445fafafa112233', 'hex'))).toBe(true);
    expect(png.includes(Buffer.from('74524e534088', 'hex'))).toBe(true);
  });
});
