import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HostUser } from '../../../adapters/host.js';
import type { PresentedKey } from '../access/key-rights.js';
import { AccessMemo } from '../access/memo.js';
import { fail } from '../../errors.js';
import { readBody, type BodyRules, type ParsedBody } from './body.js';
import { clientAddress, isSecure } from './client-address.js';
import type { RequestInfo } from './request-info.js';
import { parseForm } from './form.js';
import { LIMITS, type Plain } from './limits.js';
import type { RouterNeeds } from './needs.js';
import { watchForProxy } from './proxy-watch.js';

const OVERRIDES = new Set(['PUT', 'PATCH', 'DELETE']);
const EMPTY: ParsedBody = { fields: {}, raw: undefined, formEncoded: false };

/** One request on its way through the router: what was sent, who sent it, and where the answer goes. */
export class Exchange {
  readonly id: string;
  readonly target: string;
  readonly method: string;
  user: HostUser | null = null;
  /** The API key that spoke for the user. */
  apiKey: PresentedKey | null = null;
  /** What was asked about the user's rights so far. */
  readonly access = new AccessMemo();
  #body: Promise<ParsedBody> | null = null;
  #query: Plain | null = null;

  constructor(
    readonly app: RouterNeeds,
    readonly req: IncomingMessage,
    readonly res: ServerResponse,
  ) {
    this.id = requestId(req);
    this.target = req.url ?? '/';
    this.method = effectiveMethod(req);
  }

  /** The query string in our own reading: hosts parse it differently. */
  get query(): Plain {
    return (this.#query ??= parseForm(this.target.split('?').slice(1).join('?')));
  }

  get ip(): string | null {
    watchForProxy(this.app, this.req);
    return clientAddress(this.req, this.app.options.tracking.trustProxy);
  }

  /** The parsed body, read once; GET and HEAD have none. */
  async body(rules: BodyRules = {}): Promise<ParsedBody> {
    if (this.method === 'GET' || this.method === 'HEAD') return EMPTY;
    return (this.#body ??= readBody(this.req, rules));
  }

  /** What handlers and filters see of the request. */
  info(body: ParsedBody): RequestInfo {
    const { req, app } = this;
    const path = this.target.split('?')[0]?.replace(/\/$/, '') ?? '';
    return {
      id: this.id,
      method: this.method,
      url: app.host.site().url + app.basePath + path,
      target: this.target,
      submitted: body.fields,
      rawBody: body.raw,
      formEncoded: body.formEncoded,
      ip: this.ip,
      secure: isSecure(req, app.options.tracking.trustProxy),
      raw: req,
      response: this.res,
      header: (name) => header(req, name),
    };
  }
}

export function header(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : value;
}

export function checkUrlLength(exchange: Exchange): void {
  if (exchange.target.length > LIMITS.urlBytes) fail('uri_too_long');
}

// A caller's own id is kept when it is harmless, so that logs of several services can be joined.
function requestId(req: IncomingMessage): string {
  const given = header(req, 'x-request-id') ?? '';
  return /^[\w.-]{8,64}$/.test(given) ? given : randomUUID();
}

/**
 * The admin and portal apps send PUT, PATCH and DELETE as POST with a header;
 * on other verbs the header means nothing.
 */
function effectiveMethod(req: IncomingMessage): string {
  const method = (req.method ?? 'GET').toUpperCase();
  const override = (header(req, 'x-http-method-override') ?? '').trim().toUpperCase();
  return method === 'POST' && OVERRIDES.has(override) ? override : method;
}
