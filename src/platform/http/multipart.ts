import type { IncomingMessage } from 'node:http';
import { fail } from '../../errors.js';
import { bytesOfChunk } from './body.js';

const HEAD_BYTES = 16_384;

/** Receives the content of one part. */
export interface PartSink {
  write(chunk: Buffer): Promise<void>;
  end(): Promise<void>;
}

/**
 * Reads a `multipart/form-data` body while it arrives and holds only the current chunk. `open` is called with
 * the name of each part and may refuse it. Throws 413 beyond `bytes`, 415 for another type and 422 for an
 * incomplete body.
 */
export async function readMultipart(
  req: IncomingMessage,
  bytes: number,
  open: (name: string) => Promise<PartSink>,
): Promise<void> {
  if (Number(req.headers['content-length'] ?? 0) > bytes) fail('payload_too_large');
  const parser = new MultipartParser(boundaryOf(req), open);
  let total = 0;
  for await (const chunk of req) {
    const piece = bytesOfChunk(req, chunk as Uint8Array | string);
    total += piece.length;
    if (total > bytes) fail('payload_too_large');
    await parser.take(piece);
  }
  if (!parser.isDone) cutOff();
}

const cutOff = (): never =>
  fail('import_file_invalid', { message: 'The upload was interrupted or is not multipart/form-data.' });

function boundaryOf(req: IncomingMessage): string {
  const type = req.headers['content-type'] ?? '';
  const found = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/iu.exec(
    type,
  );
  return found?.[1] ?? found?.[2] ?? fail('unsupported_media_type');
}

class MultipartParser {
  #rest = Buffer.from('\r\n'); // the first delimiter has no line before it
  #phase: 'content' | 'head' | 'done' = 'content';
  #sink: PartSink | null = null;
  readonly #delimiter: Buffer;

  constructor(
    boundary: string,
    private readonly open: (name: string) => Promise<PartSink>,
  ) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
  }

  get isDone(): boolean {
    return this.#phase === 'done';
  }

  async take(chunk: Buffer): Promise<void> {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#phase !== 'done' && (await (this.#phase === 'head' ? this.#head() : this.#content())));
  }

  /** True when more can be read from the current chunk. */
  async #head(): Promise<boolean> {
    const end = this.#rest.indexOf('\r\n\r\n');
    if (end < 0) return this.#rest.length > HEAD_BYTES ? cutOff() : false;
    const head = this.#rest.subarray(0, end).toString('utf8');
    this.#rest = this.#rest.subarray(end + 4);
    const name = /content-disposition:[^\r\n]*;\s*name="([^"\r\n]{1,100})"/iu.exec(head)?.[1];
    this.#sink = await this.open(name ?? '');
    this.#phase = 'content';
    return true;
  }

  async #content(): Promise<boolean> {
    const at = this.#rest.indexOf(this.#delimiter);
    if (at < 0) {
      const safe = Math.max(0, this.#rest.length - this.#delimiter.length);
      await this.#pass(safe);
      return false;
    }
    await this.#pass(at);
    const after = this.#rest.subarray(this.#delimiter.length, this.#delimiter.length + 2).toString('latin1');
    if (after.length < 2) return false;
    await this.#sink?.end();
    this.#sink = null;
    this.#rest = this.#rest.subarray(this.#delimiter.length + 2);
    if (after === '--') this.#phase = 'done';
    else if (after === '\r\n') this.#phase = 'head';
    else cutOff();
    return this.#phase === 'head';
  }

  async #pass(length: number): Promise<void> {
    if (length > 0) await this.#sink?.write(this.#rest.subarray(0, length));
    this.#rest = this.#rest.subarray(length);
  }
}
