import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { guardedFetch, readText, type Fetch } from '../src/core/guarded-fetch.js';
import { SITE_HEADERS, siteKey, siteSignature } from '../src/core/site-signature.js';
import type { ConnectConfig, ConnectOptions, QueuedReport } from './types.js';

const TIMEOUT_MS = 5000;
const ATTEMPTS = 3;
const MAX_BYTES = 1024 * 1024;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;

/**
 * The primary refused, could not be reached (`code` is then `unreachable`), or something else responded in
 * its place, such as a proxy or a maintenance page (`unexpected_answer`).
 */
export class PrimaryError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'PrimaryError';
  }
}

/** The primary refused a report that had waited. */
export class RefusedReport extends PrimaryError {
  constructor(
    { status, code, message }: PrimaryError,
    readonly report: QueuedReport,
    /** The file in which it is stored; null when the queue stores none. */
    readonly file: string | null,
  ) {
    const { kind, reference } = { reference: '', ...(report.fields as { reference?: string }), ...report };
    super(
      status,
      code,
      `The primary refused the ${kind}${reference === '' ? '' : ` of order ${reference}`}: ${message}` +
        (file === null ? '' : ` It is kept in ${file}.`),
    );
    this.name = 'RefusedReport';
  }
}

export const UNEXPECTED = 'unexpected_answer';

interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly fields?: object;
  /** A field that only the primary's own success has. */
  readonly responseKey: string;
}

interface PrimaryResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly retryAfterMs: number | null;
}

/** Sends signed requests to the primary and repeats them; every call of its interface may be sent twice. */
export class SignedClient {
  readonly #key: Buffer;
  readonly #base: URL;
  readonly #fetch: Fetch;
  /** How far the primary's clock is ahead of ours. */
  #skewMs = 0;

  constructor(
    private readonly config: ConnectConfig,
    private readonly options: ConnectOptions,
  ) {
    this.#key = siteKey(config.site_id, config.server_token);
    this.#base = new URL(config.api_url);
    this.#fetch = options.fetch ?? guardedFetch(options);
  }

  async request<T>(call: Call): Promise<T> {
    const attempts = this.options.attempts ?? ATTEMPTS;
    let clockSet = false;
    for (let attempt = 1; ; attempt++) {
      const response = await this.#attempt(call);
      if (!(response instanceof PrimaryError) && isSuccess(response, call)) return response.body as T;
      if (!clockSet && this.#setClock(response)) {
        clockSet = true;
        attempt--;
      } else if (attempt >= attempts || !mayRepeat(response)) {
        throw response instanceof PrimaryError ? response : refusal(response);
      } else {
        await (this.options.wait ?? sleep)(waitFor(response, attempt));
      }
    }
  }

  /** Each attempt has its own time, nonce and signature. */
  async #attempt({ method, path, fields }: Call): Promise<PrimaryResponse | PrimaryError> {
    const body = fields === undefined ? '' : JSON.stringify(fields);
    const url = new URL(this.#base.href.replace(/\/$/, '') + path);
    const timestamp = String(Math.floor(((this.options.now ?? Date.now)() + this.#skewMs) / 1000));
    const nonce = randomBytes(18).toString('base64url');
    const signed = (url.pathname + url.search).slice(this.#base.pathname.replace(/\/$/, '').length);
    const headers = {
      [SITE_HEADERS.siteId]: this.config.site_id,
      [SITE_HEADERS.timestamp]: timestamp,
      [SITE_HEADERS.nonce]: nonce,
      [SITE_HEADERS.signature]: siteSignature(this.#key, { method, path: signed, timestamp, nonce, body }),
      Accept: 'application/json',
      ...(body === '' ? {} : { 'Content-Type': 'application/json' }),
    };
    try {
      const response = await this.#fetch(url, {
        method,
        headers,
        redirect: 'error',
        signal: AbortSignal.timeout(this.options.timeoutMs ?? TIMEOUT_MS),
        ...(body === '' ? {} : { body }),
      });
      return {
        status: response.status,
        body: asObject(await readText(response, MAX_BYTES)),
        retryAfterMs: seconds(response.headers.get('retry-after')),
      };
    } catch (cause) {
      return new PrimaryError(0, 'unreachable', 'The primary site could not be reached.', { cause });
    }
  }

  /** A response that refuses a timestamp contains the primary's time: from then on that clock is used. */
  #setClock(response: PrimaryResponse | PrimaryError): boolean {
    if (
      response instanceof PrimaryError ||
      response.body['code'] !== 'signature_expired' ||
      typeof response.body['server_time'] !== 'number'
    )
      return false;
    this.#skewMs = response.body['server_time'] * 1000 - (this.options.now ?? Date.now)();
    return true;
  }
}

function mayRepeat(response: PrimaryResponse | PrimaryError): boolean {
  if (response instanceof PrimaryError) return true;
  return (
    (response.status >= 500 || response.status === 429) && (response.retryAfterMs ?? 0) <= LONGEST_WAIT_MS
  );
}

function waitFor(response: PrimaryResponse | PrimaryError, attempt: number): number {
  const asked = response instanceof PrimaryError ? null : response.retryAfterMs;
  return asked ?? Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1) * (1 + Math.random()));
}

const isSuccess = ({ status, body }: PrimaryResponse, { responseKey }: Call): boolean =>
  status >= 200 && status < 300 && Object.hasOwn(body, responseKey);

/** Errors of the primary's host, such as a parser that spoils bodies: the report itself was not checked. */
const OF_THE_HOST: readonly unknown[] = [
  'rest_no_route',
  'rest_invalid_json',
  'unsupported_media_type',
  'body_already_read',
];

/** Only an error in the primary's own form refuses; its body repeats the status. */
function refusal({ status, body }: PrimaryResponse): PrimaryError {
  const { code, message, data } = body;
  const isOwn = typeof code === 'string' && (data as { status?: unknown } | undefined)?.status === status;
  if (!isOwn || OF_THE_HOST.includes(code))
    return new PrimaryError(
      status,
      UNEXPECTED,
      `The address of the primary answered ${status}, but not as the primary does.`,
    );
  return new PrimaryError(
    status,
    code,
    typeof message === 'string' ? message : `The primary answered ${status}.`,
  );
}

function asObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const seconds = (text: string | null): number | null =>
  text !== null && /^\d{1,6}$/.test(text) ? Number(text) * 1000 : null;
