import { ServerResponse, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

export interface WebClient {
  /**
   * The visitor's address, where the platform knows it. Forwarded headers count only as set by
   * `tracking.trustProxy`.
   */
  readonly ip?: string | undefined;
  /**
   * How many proxies in front of the site write `X-Forwarded-For`, where the platform knows no address: the
   * address is what the outermost of them wrote. With 0, the header is not trusted.
   */
  readonly proxies?: number | undefined;
}

/**
 * A Web `Request` in the form of node's: for `conversions.record`, `nonce` and host adapters. Its body can be
 * read once.
 */
export function nodeRequest(request: Request, client: WebClient = {}): IncomingMessage {
  const url = new URL(request.url);
  const headers: Record<string, string> = Object.fromEntries(request.headers);
  const ip = client.ip ?? forwardedBy(headers, client.proxies);
  if (client.proxies !== undefined) delete headers['x-forwarded-for']; // it has been read
  headers['host'] ??= url.host;
  // Web platforms compress by themselves; Next drops `Content-Encoding` from what was compressed before.
  delete headers['accept-encoding'];
  const socket = { remoteAddress: ip, encrypted: url.protocol === 'https:' };
  // The body is read only when the service needs it; otherwise the page can still read it.
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const body = new Readable({
    read() {
      reader ??= request.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
      void readPart(this, reader);
    },
    destroy(error, done) {
      void cancel(reader);
      done(error);
    },
  });
  request.signal.addEventListener('abort', () => body.destroy(), { once: true });
  // An IncomingMessage without the connection it came over, as there is none.
  return Object.assign(body, {
    method: request.method,
    url: url.pathname + url.search,
    headers,
    rawHeaders: Object.entries(headers).flat(),
    httpVersion: '1.1',
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    complete: false,
    socket,
    connection: socket,
  }) as unknown as IncomingMessage; // all members that are read are here
}

/** What the outermost trusted proxy wrote; entries before it can be forged. */
function forwardedBy(headers: Readonly<Record<string, string>>, proxies = 0): string | undefined {
  if (proxies < 1) return undefined;
  return headers['x-forwarded-for']?.split(',').at(-proxies)?.trim();
}

async function cancel(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<void> {
  try {
    await reader?.cancel();
  } catch {
    // It ended before.
  }
}

async function readPart(
  body: Readable,
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
): Promise<void> {
  try {
    const part = await reader?.read();
    if (part === undefined || part.done) {
      Object.assign(body, { complete: true });
      body.push(null);
    } else body.push(Buffer.from(part.value));
  } catch (error) {
    body.destroy(error instanceof Error ? error : new Error('The body could not be read.'));
  }
}

/**
 * A plain response whose head and body become a Web `Response`; the body is produced as fast as it is read.
 */
export class WebMessage extends ServerResponse {
  /** The response, as soon as its head is known. */
  readonly response: Promise<Response>;
  #resolve!: (response: Response) => void;
  #body: ReadableStreamDefaultController<Uint8Array> | null = null;
  #sent = false;

  constructor(req: IncomingMessage) {
    super(req);
    // Node's types declare a property where there is an accessor.
    Object.defineProperty(this, 'headersSent', { get: () => this.#sent });
    this.response = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  override writeHead(status: number, ...more: unknown[]): this {
    const headers = more.find((each) => typeof each === 'object' && each !== null);
    this.statusCode = status;
    for (const [name, value] of Object.entries((headers ?? {}) as Record<string, string>))
      this.setHeader(name, value);
    return this;
  }

  override write(chunk: unknown, ...more: unknown[]): boolean {
    this.#send(true);
    this.#enqueue(chunk, more);
    for (const each of more) if (typeof each === 'function') queueMicrotask(() => (each as () => void)());
    return (this.#body?.desiredSize ?? 0) > 0;
  }

  override end(chunk?: unknown, ...more: unknown[]): this {
    if (this.finished) return this;
    const body = typeof chunk === 'function' ? undefined : chunk;
    const has = body !== undefined && body !== null && this.req.method !== 'HEAD';
    this.#send(has);
    if (has) this.#enqueue(body, more);
    this.finished = true;
    this.#body?.close();
    this.#body = null;
    const done = [chunk, ...more].find((each) => typeof each === 'function');
    queueMicrotask(() => {
      this.emit('finish');
      this.emit('close');
      if (done) (done as () => void)();
    });
    return this;
  }

  override destroy(error?: Error): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    if (!this.#sent) this.#resolve(new Response(null, { status: 500 }));
    this.#sent = true;
    this.#body?.error(error ?? new Error('The answer was broken off.'));
    this.#body = null;
    queueMicrotask(() => this.emit('close'));
    return this;
  }

  #enqueue(chunk: unknown, more: readonly unknown[]): void {
    const encoding = more.find((each) => typeof each === 'string') as BufferEncoding | undefined;
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : (chunk as Uint8Array);
    if (this.req.method !== 'HEAD') this.#body?.enqueue(new Uint8Array(bytes));
  }

  #send(withBody: boolean): void {
    if (this.#sent) return;
    this.writeHead(this.statusCode);
    this.#sent = true;
    this.#resolve(
      new Response(withBody ? this.#stream() : null, { status: this.statusCode, headers: this.headers() }),
    );
  }

  #stream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#body = controller;
      },
      pull: () => {
        this.emit('drain');
      },
      cancel: () => {
        this.#body = null;
        this.destroy();
      },
    });
  }

  /** What was set so far. */
  headers(): Headers {
    const headers = new Headers();
    for (const [name, value] of Object.entries(this.getHeaders()))
      for (const each of Array.isArray(value) ? value : [value])
        if (each !== undefined) headers.append(name, String(each));
    // Headers like these belong to the connection, which is the platform's.
    headers.delete('connection');
    return headers;
  }
}
