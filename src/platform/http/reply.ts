import type { ServerResponse } from 'node:http';

export interface ReplyOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response that is more than a JSON value with status 200. */
export class Reply<Body = unknown> {
  constructor(
    readonly body: Body,
    readonly options: ReplyOptions,
  ) {}
}

/** `return reply(body, { headers })`. A string or Buffer with a `Content-Type` header is sent unchanged. */
export const reply = <Body>(body: Body, options: ReplyOptions = {}): Reply<Body> => new Reply(body, options);

export function setCommonHeaders(res: ServerResponse, requestId: string): void {
  res.setHeader('X-Request-Id', requestId);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Cache-Control', 'no-store, private');
  res.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  res.setHeader('Referrer-Policy', 'no-referrer');
}

export function sendJson(res: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value) ?? 'null';
  res.statusCode = status;
  res.setHeader('Content-Type', 'application/json; charset=UTF-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text); // text is sent in one piece with the headers
}

export function sendReply(res: ServerResponse, { body, options }: Reply): void {
  for (const [name, value] of Object.entries(options.headers ?? {})) res.setHeader(name, value);
  const status = options.status ?? 200;
  const isRaw = (typeof body === 'string' || Buffer.isBuffer(body)) && res.hasHeader('Content-Type');
  if (!isRaw) {
    sendJson(res, status, body);
    return;
  }
  res.statusCode = status;
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(body);
}
