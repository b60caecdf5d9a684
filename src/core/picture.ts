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
}

/**
 * Reads type and size from the content, not from the name. Null for anything else, and for a picture that is
 * cut off or has something behind its end.
 */
export function readPicture(bytes: Buffer): Picture | null {
  const picture = png(bytes) ?? jpeg(bytes) ?? gif(bytes) ?? webp(bytes);
  return picture !== null && picture.width > 0 && picture.height > 0 ? picture : null;
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

function png(bytes: Buffer): Picture | null {
  if (!bytes.subarray(0, 8).equals(PNG) || bytes.toString('latin1', 12, 16) !== 'IHDR') return null;
  for (let at = 8; at + 12 <= bytes.length;) {
    const end = at + 12 + bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND')
      return end === bytes.length
        ? { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
        : null;
    at = end;
  }
  return null;
}

/** Segments that name the size: baseline, progressive and the like; C4, C8 and CC mean something else. */
const FRAME = /^c[0-35-79abdef]$/u;

function jpeg(bytes: Buffer): Picture | null {
  const { length } = bytes;
  if (length < 4 || bytes.readUInt16BE(0) !== 0xffd8 || bytes.readUInt16BE(length - 2) !== 0xffd9)
    return null;
  for (let at = 2; at + 9 <= length && bytes[at] === 0xff;) {
    const marker = bytes.toString('hex', at + 1, at + 2);
    if (FRAME.test(marker))
      return { type: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    if (marker === 'da') return null; // the picture itself, before any size
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

function gif(bytes: Buffer): Picture | null {
  const isGif = /^GIF8[79]a$/u.test(bytes.toString('latin1', 0, 6));
  if (!isGif || bytes.length < 14 || bytes.at(-1) !== 0x3b) return null;
  return { type: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function webp(bytes: Buffer): Picture | null {
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  if (!isWebp || bytes.length < 30 || bytes.readUInt32LE(4) + 8 !== bytes.length) return null;
  const size = webpSize(bytes);
  return size && { type: 'image/webp', width: size[0], height: size[1] };
}

function webpSize(bytes: Buffer): readonly [width: number, height: number] | null {
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8X') return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
  if (kind === 'VP8 ') return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
  if (kind !== 'VP8L') return null;
  const bits = bytes.readUInt32LE(21);
  return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1];
}
