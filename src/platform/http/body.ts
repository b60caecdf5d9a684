import { isMap } from '../../core/is-map.js';
import type { IncomingMessage } from 'node:http';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Transform } from 'node:stream';
import { AffiliateError, fail } from '../../errors.js';
import { parseForm, unflatten } from './form.js';
import { bounded, LIMITS, tooDeep, type Plain } from './limits.js';

export interface ParsedBody {
  readonly fields: Plain;
  readonly raw: Buffer | undefined;
  readonly formEncoded: boolean;
}

/** What a route accepts in addition to JSON and forms up to 1 MiB. */
export interface BodyRules {
  readonly bytes?: number;
  /** Also accepts `text/plain` that contains JSON or a form, as browsers' beacons send it. */
  readonly plainText?: boolean;
  /** Takes the bytes without parsing, of any content type, because a signature covers them. */
  readonly raw?: boolean;
  /** The handler reads the body itself while it arrives. */
  readonly stream?: boolean;
}

type Kind = 'json' | 'form';

/** Reads and parses a body, or uses what the host has read. */
export async function readBody(req: IncomingMessage, rules: BodyRules): Promise<ParsedBody> {
  const isRead = wasRead(req);
  if (rules.stream) {
    if (isRead && isAnnounced(req)) fail('body_already_read');
    return { fields: {}, raw: undefined, formEncoded: false };
  }
  const limit = rules.bytes ?? LIMITS.bodyBytes;
  const raw = isRead ? bodyBytes(req) : await readBytes(req, limit);
  if (rules.raw) return { fields: {}, raw, formEncoded: false };
  const { body } = req as HostsRequest;
  if (isRead && isFilled(body)) return fromHost(req, body, raw);
  if (raw === undefined) return nothingLeft(req, body);
  return parseBytes(req, rules, raw);
}

function parseBytes(req: IncomingMessage, rules: BodyRules, raw: Buffer): ParsedBody {
  if (raw.length === 0) return { fields: {}, raw, formEncoded: false };
  if (raw.length > (rules.bytes ?? LIMITS.bodyBytes)) fail('payload_too_large');
  const text = raw.toString('utf8');
  const kind = kindOf(req, rules, text) ?? fail('unsupported_media_type');
  return { fields: kind === 'form' ? parseForm(text) : parseJson(text), raw, formEncoded: kind === 'form' };
}

/** What parsers of hosts leave on a request. */
type HostsRequest = IncomingMessage & {
  readonly body?: unknown;
  readonly rawBody?: unknown;
  readonly _body?: boolean;
};

/** The bytes that the host has stored: in `rawBody`, or an unparsed `body`. */
function bodyBytes(req: IncomingMessage): Buffer | undefined {
  const { rawBody, body } = req as HostsRequest;
  for (const each of [rawBody, body]) {
    if (each instanceof Uint8Array) return Buffer.from(each.buffer, each.byteOffset, each.byteLength);
    if (typeof each === 'string') return Buffer.from(each);
  }
  return undefined;
}

const isFilled = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && !(body instanceof Uint8Array) && Object.keys(body).length > 0;

/**
 * An empty object may be what a parser made of `{}`, or what parsers of Express 4 leave when they read
 * nothing; content that is announced and cannot be found is refused instead of taken for an empty body.
 */
function nothingLeft(req: IncomingMessage, body: unknown): ParsedBody {
  const length = Number(req.headers['content-length'] ?? 0);
  const isParsed = (req as HostsRequest)._body === true;
  const mayBeEmpty = (isMap(body) || Array.isArray(body)) && (isParsed || length <= '{}'.length);
  if (!mayBeEmpty && isAnnounced(req)) fail('body_already_read');
  return { fields: {}, raw: undefined, formEncoded: isForm(req) };
}

const isAnnounced = ({ headers, readableDidRead }: IncomingMessage): boolean =>
  readableDidRead || Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;

export const isForm = (req: IncomingMessage): boolean => kindOf(req, {}) === 'form';

// Express 4 parsers leave `{}` in req.body even when they read nothing, so the state of the stream decides. A
// stream that is being read has lost a part.
const wasRead = (req: IncomingMessage): boolean =>
  req.readableDidRead || req.readableEnded || (req as HostsRequest)._body === true;

function fromHost(req: IncomingMessage, parsed: unknown, raw: Buffer | undefined): ParsedBody {
  const formEncoded = isForm(req);
  if (!isMap(parsed)) fail('rest_invalid_json');
  const fields = bounded({ ...parsed }) as Plain;
  return { fields: formEncoded ? unflatten(fields) : fields, raw, formEncoded };
}

function contentType(req: IncomingMessage): { readonly type: string; readonly charset: string } {
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((part) => part.startsWith('charset='));
  return { type, charset: charset === undefined ? 'utf-8' : charset.slice(8).replaceAll('"', '') };
}

function kindOf(req: IncomingMessage, rules: BodyRules, text = '{'): Kind | null {
  const { type, charset } = contentType(req);
  if (!['utf-8', 'utf8'].includes(charset)) return null;
  if (type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type)) return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  if (!rules.plainText || type !== 'text/plain') return null;
  return text.trimStart().startsWith('{') ? 'json' : 'form';
}

function parseJson(text: string): Plain {
  if (tooDeep(text)) fail('payload_too_large');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    fail('rest_invalid_json', { cause });
  }
  // PHP clients send an empty object as `[]`.
  if (value === null || (Array.isArray(value) && value.length === 0)) return {};
  if (!isMap(value)) fail('rest_invalid_json');
  return bounded(value) as Plain;
}

/**
 * Reads at most `limit` bytes, counted after decompression; a larger body gets 413, also when its header
 * claims fewer bytes.
 */
async function readBytes(req: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > limit) return refuse(req);
  const inflate = inflater((req.headers['content-encoding'] ?? 'identity').trim().toLowerCase());
  const source = inflate ? req.pipe(inflate) : req;
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer | string): void => {
      const bytes = bytesOfChunk(req, chunk);
      size += bytes.length;
      if (size <= limit) {
        chunks.push(bytes);
        return;
      }
      source.off('data', onData);
      if (inflate) req.unpipe(inflate).off('data', onData);
      inflate?.destroy();
      refuse(req).catch(reject);
    };
    const malformed = (cause?: unknown): void => reject(new AffiliateError('rest_invalid_json', { cause }));
    source.on('data', onData);
    source.once('end', () => resolve(Buffer.concat(chunks)));
    source.once('error', malformed);
    req.once('close', () => {
      if (!req.complete) malformed();
    });
  });
}

/** A host that called `req.setEncoding` gets the body as text. */
export const bytesOfChunk = (req: IncomingMessage, chunk: Uint8Array | string): Buffer =>
  typeof chunk === 'string'
    ? Buffer.from(chunk, req.readableEncoding ?? 'utf8')
    : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);

function inflater(encoding: string): Transform | null {
  if (encoding === 'identity' || encoding === '') return null;
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  if (encoding === 'br') return createBrotliDecompress();
  return fail('unsupported_media_type');
}

// Reads and drops the rest of an oversized body for a moment, so that the client receives the response and
// not a reset connection.
async function refuse(req: IncomingMessage): Promise<never> {
  const drainable = 8 * LIMITS.bodyBytes;
  let dropped = 0;
  if (!req.readableEnded)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 1000);
      const done = (): void => {
        clearTimeout(timer);
        resolve();
      };
      req.on('data', (chunk: Buffer) => {
        if ((dropped += chunk.length) > drainable) done();
      });
      req.once('end', done).once('close', done).resume();
    });
  return fail('payload_too_large');
}
