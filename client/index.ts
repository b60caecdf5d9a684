import { ApiError, errorOf } from './error.js';
import { OPERATIONS, type Events, type Operations } from './operations.js';
import { fillPath, queryText } from './query.js';
import type { Page } from './types.js';

export { ApiError } from './error.js';
export * from './operations.js';
export type { FieldErrors, Page } from './types.js';

export type OperationId = keyof Operations;

/** The input of an operation: those of `params`, `query` and `body` that it has. */
export type InputOf<Id extends OperationId> = Omit<Operations[Id], 'response'>;
export type ResponseOf<Id extends OperationId> = Operations[Id]['response'];

export type EventType = keyof Events;

/** An event as a webhook brings it, and `GET /events`: its `type` decides what `data` holds. */
export type ProgramEvent = {
  [Type in EventType]: {
    readonly type: Type;
    readonly timestamp: string;
    readonly data: Events[Type];
    /** The fields of `data` that had another value before. */
    readonly previous: Partial<Events[Type]>;
  };
}[EventType];

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** For a write that the caller may repeat; without it, each call gets a key of its own. */
  readonly idempotencyKey?: string;
  /** Long work responds at once and continues without the caller (`Prefer: respond-async`). */
  readonly later?: boolean;
}

export interface ClientOptions {
  /** Where the interface is mounted, e.g. `https://shop.example/wp-json/affiliate-service/v2`. */
  readonly baseUrl: string;
  /** Nonce of the signed-in user. Every response brings a newer one, which is used from then on. */
  readonly nonce?: string;
  /** Sent with every request, e.g. a cookie or a bearer token in Node. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
  /**
   * How often a request is tried that does not get through (no response, or 503). Writes are repeated with
   * the same key. Default 2.
   */
  readonly tries?: number;
}

type Arguments<Id extends OperationId> =
  {} extends InputOf<Id>
    ? [input?: InputOf<Id>, options?: CallOptions]
    : [input: InputOf<Id>, options?: CallOptions];

export interface Client {
  /** Sends one operation: `await client.call('affiliates.get', { params: { id: 3 } })`. Throws `ApiError`. */
  call<Id extends OperationId>(id: Id, ...args: Arguments<Id>): Promise<ResponseOf<Id>>;
  /** Every row of a list, page after page: `for await (const row of client.pages('visits.list')) …`. */
  pages<Id extends OperationId>(id: Id, ...args: Arguments<Id>): AsyncGenerator<RowOf<Id>>;
  /** The plain response, for files (`Accept: text/csv`). Throws `ApiError`. */
  file<Id extends OperationId>(id: Id, ...args: Arguments<Id>): Promise<Response>;
  /** The nonce that is in use. */
  nonce(): string | undefined;
  /** Replaces the nonce, e.g. after a new sign-in. */
  useNonce(nonce: string): void;
}

/** The type of the rows in the list that an operation returns. */
export type RowOf<Id extends OperationId> = {
  [Key in keyof ResponseOf<Id>]-?: ResponseOf<Id>[Key] extends Page<infer Row> ? Row : never;
}[keyof ResponseOf<Id>];

interface Input {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: object;
  readonly body?: unknown;
}

const initOf = (method: string, body: unknown, signal: AbortSignal | undefined): RequestInit => ({
  method,
  credentials: 'same-origin',
  ...(body !== undefined && { body: JSON.stringify(body) }),
  ...(signal && { signal }),
});

/** A client of the REST interface for browsers and Node. It has no dependency. */
export function createClient(options: ClientOptions): Client {
  const send = options.fetch ?? ((...args: Parameters<typeof fetch>) => globalThis.fetch(...args));
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  let nonce = options.nonce;

  async function request(
    id: OperationId,
    input: Input = {},
    accept: string,
    call: CallOptions = {},
  ): Promise<Response> {
    const [method, path] = operationOf(id);
    const url = baseUrl + fillPath(path, input.params) + queryText(input.query);
    const key = method === 'POST' ? (call.idempotencyKey ?? crypto.randomUUID()) : undefined;
    const init: RequestInit = {
      ...initOf(method, input.body, call.signal),
      headers: {
        ...options.headers,
        Accept: accept,
        ...(key !== undefined && { 'Idempotency-Key': key }),
        ...preferenceOf(call),
        ...(input.body !== undefined && { 'Content-Type': 'application/json' }),
      },
    };
    const tries = Math.max(1, options.tries ?? 2);
    // Only requests that may arrive twice are repeated: reads, and writes that carry a key.
    const repeatable = method === 'GET' || key !== undefined;
    for (let left = repeatable ? tries : 1; ; left--) {
      const response = await attempt(url, init, left > 1);
      if (response !== null) return response;
      await pause(call.signal);
    }
  }

  // null: it did not get through and may be repeated.
  async function attempt(url: string, init: RequestInit, again: boolean): Promise<Response | null> {
    let response: Response;
    try {
      response = await send(url, {
        ...init,
        headers: {
          ...(init.headers as Record<string, string>),
          ...(nonce !== undefined && { 'X-WP-Nonce': nonce }),
        },
      });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      if (again) return null;
      throw new ApiError('offline', 'The server could not be reached.');
    }
    nonce = response.headers.get('x-wp-nonce') ?? nonce;
    if (response.ok) return response;
    const problem = await errorOf(response);
    if (again && problem.status === 503 && problem.code === 'busy') return null;
    throw problem;
  }

  async function call(id: OperationId, input?: Input, options?: CallOptions): Promise<unknown> {
    const response = await request(id, input, 'application/json', options);
    try {
      return await response.json();
    } catch {
      throw new ApiError('unreadable', 'The answer could not be read.', { status: response.status });
    }
  }

  async function* pages(id: OperationId, input: Input = {}, options?: CallOptions): AsyncGenerator<unknown> {
    for (let page = 1; ; page++) {
      const response = await call(id, { ...input, query: { per_page: 200, ...input.query, page } }, options);
      const list = pageIn(response);
      yield* list.data;
      if (list.data.length === 0 || page >= list.last_page) return;
    }
  }

  // The declaration gives each operation its types; in here all have one type.
  return {
    call,
    pages,
    file: (id: OperationId, input?: Input, options?: CallOptions) => request(id, input, 'text/csv', options),
    nonce: () => nonce,
    useNonce: (fresh: string) => {
      nonce = fresh;
    },
  } as unknown as Client;
}

function operationOf(id: string): readonly [string, string] {
  if (!Object.hasOwn(OPERATIONS, id))
    throw new TypeError(`There is no operation "${id}". The client's operations are in docs/reference.md.`);
  return OPERATIONS[id as OperationId];
}

function pageIn(response: unknown): Page<unknown> {
  const found = Object.values(response as object).find(
    (value): value is Page<unknown> => typeof value === 'object' && value !== null && 'last_page' in value,
  );
  if (found === undefined) throw new TypeError('This operation answers no list.');
  return found;
}

const PAUSE_MS = 400;
const pause = (signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });

const preferenceOf = ({ later }: CallOptions): Record<string, string> =>
  later === true ? { Prefer: 'respond-async' } : {};
