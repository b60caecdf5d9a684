import { crc32, deflateSync } from 'node:zlib';

/** Colors as `#rgb`, `#rgba`, `#rrggbb` or `#rrggbbaa`. */
export interface QrColors {
  readonly dark: string;
  readonly light: string;
}

/** A square of modules, row by row; true is dark. The blank border that readers need is part of it. */
type Modules = readonly (readonly boolean[])[];

const BORDER = 4;
/** Pixels per module in a picture that has fewer pixels than the code has modules. */
const LEAST_SCALE = 4;

/** Draws a QR code as SVG, one unit per module. */
export async function qrSvg(text: string, { dark, light }: QrColors): Promise<string> {
  const modules = await modulesOf(text);
  const size = modules.length;
  const lines = modules.flatMap((row, y) => runs(row).map(([x, length]) => `M${x} ${y}.5h${length}`));
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
    `<path ${paint('fill', light)} d="M0 0h${size}v${size}H0z"/>` +
    `<path ${paint('stroke', dark)} d="${lines.join('')}"/></svg>\n`
  );
}

/**
 * Draws a QR code as PNG, `width` pixels wide; wider if the code has more modules than that. PNG libraries encode four
 * bytes per pixel, which holds up the host ten times as long as one bit per pixel.
 */
export async function qrPng(text: string, { dark, light }: QrColors, width: number): Promise<Buffer> {
  const modules = await modulesOf(text);
  const size = width < modules.length ? modules.length * LEAST_SCALE : width;
  const moduleAt = (pixel: number): number => Math.floor((pixel * modules.length) / size);
  const rows = modules.map((row) => scanline(size, (x) => row[moduleAt(x)] === true));
  const pixels = Buffer.concat(Array.from({ length: size }, (_, y) => rows[moduleAt(y)]!));
  const palette = [light, dark].map(rgba);
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 0, 0, 0]); // one bit per pixel, from a palette
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  return Buffer.concat([
    Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.concat(palette.map((color) => color.subarray(0, 3)))),
    chunk('tRNS', Buffer.concat(palette.map((color) => color.subarray(3)))),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

async function modulesOf(text: string): Promise<Modules> {
  const { encode } = await import('uqr'); // loaded only when a picture is asked for
  return encode(text, { ecc: 'M', border: BORDER }).data;
}

/** The dark modules of a row: where each run begins and how many it has. */
function runs(row: readonly boolean[]): [number, number][] {
  const found: [number, number][] = [];
  for (const [x, isDark] of row.entries()) {
    if (isDark && row[x - 1] === true) found.at(-1)![1]++;
    else if (isDark) found.push([x, 1]);
  }
  return found;
}

function paint(attribute: 'fill' | 'stroke', color: string): string {
  const bytes = rgba(color);
  const alpha = bytes[3]! / 255;
  const solid = `${attribute}="#${bytes.toString('hex', 0, 3)}"`;
  return alpha === 1 ? solid : `${solid} ${attribute}-opacity="${alpha.toFixed(2)}"`;
}

/** The four bytes of a color: red, green, blue and opacity. */
function rgba(color: string): Buffer {
  const digits = color.slice(1);
  const long = digits.length > 4 ? digits : digits.replaceAll(/./g, '$&$&');
  return Buffer.from(long.padEnd(8, 'f'), 'hex');
}

/** One row of pixels: the byte for "no filter", then eight pixels in each byte. */
function scanline(width: number, isDark: (x: number) => boolean): Buffer {
  const line = Buffer.alloc(1 + Math.ceil(width / 8));
  for (let x = 0; x < width; x++) if (isDark(x)) line[1 + (x >> 3)]! |= 0x80 >> (x & 7);
  return line;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
