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
import type { RouterNeeds } from './deps.js';
import { watchForProxy } from './proxy-watch.js';

const OVERRIDES = new Set(['PUT', 'PATCH', 'DELETE']);
const EMPTY: ParsedBody = { fields: {}, raw: undefined, formEncoded: false };

/** One request in the router: its content, its sender and its response. */
export class Exchange {
  readonly id: string;
  readonly target: string;
  readonly method: string;
  user: HostUser | null = null;
  /** The API key of the request, if it has one. */
  apiKey: PresentedKey | null = null;
  /** The rights of the user that were already decided. */
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

  /** The query string, parsed by us because hosts parse it differently. */
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

  /** The request as handlers and filters see it. */
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

// Uses the caller's own id when it is harmless, so that the logs of several services can be joined.
export function requestId(req: IncomingMessage): string {
  const given = header(req, 'x-request-id') ?? '';
  return /^[\w.-]{8,64}$/.test(given) ? given : randomUUID();
}

/**
 * The console and portal send PUT, PATCH and DELETE as POST with a header; for other verbs the header is
 * ignored.
 */
function effectiveMethod(req: IncomingMessage): string {
  const method = (req.method ?? 'GET').toUpperCase();
  const override = (header(req, 'x-http-method-override') ?? '').trim().toUpperCase();
  return method === 'POST' && OVERRIDES.has(override) ? override : method;
}
