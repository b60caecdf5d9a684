/** What pictures may be uploaded. Scripts can hide in SVG, so it is none of them. */
export const PICTURE_TYPES = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
} as const;
export type PictureType = keyof typeof PICTURE_TYPES;

export interface Picture {
  readonly type: PictureType;
  readonly width: number;
  readonly height: number;
  /** Only what shows the picture: no comments, no place or time of a photo, nothing after the end. */
  readonly content: Buffer;
}

/**
 * Reads a picture by its content, not by its name, block by block to its end. Null for anything else, and for a
 * picture that is cut off.
 */
export function readPicture(bytes: Buffer): Picture | null {
  try {
    const picture = png(bytes) ?? jpeg(bytes) ?? gif(bytes) ?? webp(bytes);
    return picture !== null && picture.width > 0 && picture.height > 0 ? picture : null;
  } catch (error) {
    if (error instanceof RangeError) return null; // a block is longer than the file
    throw error;
  }
}

/** A block of the file; `RangeError` where the file ends before. */
function slice(bytes: Buffer, from: number, to: number): Buffer {
  if (to > bytes.length) throw new RangeError('cut off');
  return bytes.subarray(from, to);
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
/** Pixels, palette, transparency, colors, size of print, animation. */
const PNG_CHUNKS = /^(?:IHDR|PLTE|IDAT|IEND|tRNS|cHRM|gAMA|iCCP|sBIT|sRGB|cICP|pHYs|bKGD|acTL|fcTL|fdAT)$/u;

function png(bytes: Buffer): Picture | null {
  if (!bytes.subarray(0, 8).equals(PNG) || bytes.toString('latin1', 12, 16) !== 'IHDR') return null;
  const parts: Buffer[] = [PNG];
  for (let at = 8; ;) {
    const chunk = slice(bytes, at, at + 12 + bytes.readUInt32BE(at));
    const name = chunk.toString('latin1', 4, 8);
    if (PNG_CHUNKS.test(name)) parts.push(chunk);
    if (name === 'IEND') break;
    at += chunk.length;
  }
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  return { type: 'image/png', width, height, content: Buffer.concat(parts) };
}

/** Segments with the size: baseline, progressive and the like; C4, C8 and CC mean something else. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
const [END, SCAN, EXIF, COMMENT, FILL] = [0xd9, 0xda, 0xe1, 0xfe, 0xff] as const;
/** JFIF, color profile, Adobe's color transform. */
const JPEG_APPS: readonly number[] = [0xe0, 0xe2, 0xee];

function jpeg(bytes: Buffer): Picture | null {
  if (bytes.toString('hex', 0, 2) !== 'ffd8') return null;
  const parts = [bytes.subarray(0, 2)];
  let size: Pick<Picture, 'width' | 'height'> | null = null;
  for (let at = 2; ;) {
    if (bytes.readUInt8(at) !== 0xff) return null;
    const marker = bytes.readUInt8(at + 1);
    if (marker === END) break;
    if (marker === FILL) {
      at += 1;
      continue;
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    const segment = slice(bytes, at, marker === SCAN ? endOfScan(bytes, end) : end);
    if (isFrame(marker)) size = { width: segment.readUInt16BE(7), height: segment.readUInt16BE(5) };
    if (marker === SCAN && size === null) return null;
    if (marker === EXIF) parts.push(uprightExif(segment));
    else if (marker !== COMMENT && (marker < 0xe0 || marker > 0xef || JPEG_APPS.includes(marker)))
      parts.push(segment);
    at += segment.length;
  }
  return (
    size && { type: 'image/jpeg', ...size, content: Buffer.concat([...parts, Buffer.from('ffd9', 'hex')]) }
  );
}

/** Pixels end at a marker; a byte FF among them is followed by 00 or a restart (D0 to D7). */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes.readUInt8(at + 1);
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  throw new RangeError('cut off');
}

/** `Exif`, a TIFF header, and one entry: tag 0112, one short, its value. */
const EXIF_OF_TURN =
  'ffe10022' + '457869660000' + '4d4d002a00000008' + '0001' + '0112000300000001????0000' + '00000000';

/** An EXIF segment with nothing but how the photo must be turned (tag 0112); empty where it says nothing. */
function uprightExif(segment: Buffer): Buffer {
  if (segment.toString('latin1', 4, 10) !== 'Exif\0\0') return Buffer.alloc(0);
  const tiff = segment.subarray(10);
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number): number => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const entries = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  for (let at = entries + 2, left = short(entries); left > 0; at += 12, left -= 1)
    if (short(at) === 0x0112)
      return Buffer.from(
        EXIF_OF_TURN.replace(
          '????',
          short(at + 8)
            .toString(16)
            .padStart(4, '0'),
        ),
        'hex',
      );
  return Buffer.alloc(0);
}

function gif(bytes: Buffer): Picture | null {
  if (!/^GIF8[79]a$/u.test(bytes.toString('latin1', 0, 6))) return null;
  const colors = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let at = 13 + colors(bytes.readUInt8(10));
  const parts = [slice(bytes, 0, at)];
  for (;;) {
    const kind = bytes.readUInt8(at);
    if (kind === 0x3b) break;
    const isImage = kind === 0x2c;
    if (!isImage && kind !== 0x21) return null;
    const data = isImage ? at + 11 + colors(bytes.readUInt8(at + 9)) : at + 2;
    const block = slice(bytes, at, endOfSubBlocks(bytes, data));
    if (isImage || isShown(block)) parts.push(block);
    at += block.length;
  }
  const [width, height] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8)];
  return { type: 'image/gif', width, height, content: Buffer.concat([...parts, Buffer.from(';')]) };
}

/** Delay and transparency of the next image, or how often the animation is repeated. */
const isShown = (extension: Buffer): boolean =>
  extension[1] === 0xf9 ||
  (extension[1] === 0xff && /^(?:NETSCAPE2\.0|ANIMEXTS1\.0)$/u.test(extension.toString('latin1', 3, 14)));

/** Each sub-block begins with its length; the last one has none. */
function endOfSubBlocks(bytes: Buffer, from: number): number {
  let at = from;
  for (let length = bytes.readUInt8(at); length > 0; length = bytes.readUInt8(at)) at += 1 + length;
  return at + 1;
}

const WEBP_CHUNKS = /^(?:VP8[ LX]|ALPH|ANIM|ANMF|ICCP)$/u;
/** Flags of VP8X that announce EXIF and XMP. */
const METADATA_FLAGS = 0x0c;

function webp(bytes: Buffer): Picture | null {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP') return null;
  const size = bytes.length < 30 ? null : webpSize(bytes);
  if (size === null) return null;
  const parts: Buffer[] = [];
  for (let at = 12, end = bytes.readUInt32LE(4) + 8; at < end;) {
    const length = bytes.readUInt32LE(at + 4);
    const chunk = Buffer.from(slice(bytes, at, at + 8 + length + (length % 2)));
    const name = chunk.toString('latin1', 0, 4);
    if (name === 'VP8X') chunk.writeUInt8(chunk.readUInt8(8) & ~METADATA_FLAGS, 8);
    if (WEBP_CHUNKS.test(name)) parts.push(chunk);
    at += chunk.length;
  }
  const content = Buffer.concat([Buffer.from('RIFF....WEBP'), ...parts]);
  content.writeUInt32LE(content.length - 8, 4);
  return { type: 'image/webp', width: size[0], height: size[1], content };
}

function webpSize(bytes: Buffer): readonly [width: number, height: number] | null {
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8X') return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
  if (kind === 'VP8 ') return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
  if (kind !== 'VP8L') return null;
  const bits = bytes.readUInt32LE(21);
  return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1];
}
