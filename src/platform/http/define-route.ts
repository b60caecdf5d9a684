import type { Static, TSchema } from 'typebox';
import type { HostUser } from '../../../adapters/host.js';
import type { Policy, Section } from '../access/policies.js';
import type { BodyRules } from './body.js';
import type { Export } from './export.js';
import type { FormParts } from './form-parts.js';
import type { SiteIdentity } from './deps.js';
import type { Reply } from './reply.js';
import type { RequestInfo } from './request-info.js';

export type HttpMethod = 'get' | 'post' | 'patch' | 'delete';

/** What a handler returns: a value of `response`, alone or with headers, or a file as text, bytes or rows. */
export type HandlerResult<R> = R | Reply<R> | Reply<string | Buffer> | Export;

/**
 * One endpoint, declared once. From this come mounting, guard, validation, types, OpenAPI, the row in
 * docs/reference.md and the tests of every route.
 */
export interface RouteSpec<A, P extends TSchema, Q extends TSchema, B extends TSchema, R extends TSchema> {
  /** Operation id and name in tests, such as `groups.update`. */
  readonly id: `${string}.${string}`;
  readonly method: HttpMethod;
  /** The path to use first, then aliases. Parameters are written `:name`. */
  readonly paths: readonly [`/${string}`, ...`/${string}`[]];
  readonly access: Policy;
  readonly summary: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly response: R;
  /** The responses contain a secret, so they are neither stored for a repeat nor logged. */
  readonly secret?: boolean;
  /** Media types of the response when it is, or may be, a file. */
  readonly files?: readonly string[];
  /**
   * The fields of the query or body choose the rows that are paid, changed or handed out: an empty or
   * unreadable choice is refused. Exports do not need this flag.
   */
  readonly selects?: 'query' | 'body';
  /** How many hours the response to an `Idempotency-Key` is stored; 24 by default. */
  readonly lifetimeHours?: number;
  /** True for reads that take longer than a list; they get the time of a report. */
  readonly slow?: boolean;
  /** Bodies other than JSON and forms up to 1 MiB. */
  readonly accepts?: BodyRules;
  /** Lists and maps that a form does not send when they are empty. */
  readonly formParts?: FormParts<A>;
  /**
   * Names of the stored settings in the response or the change; `ETag` and `If-Match` compare their state.
   */
  readonly settings?: readonly string[] | ((call: Call<A>) => readonly string[]);
  /**
   * A plain value becomes a JSON response with status 200; `reply()` adds headers, `exportRows()` sends a
   * file.
   */
  handler(call: Call<A, Static<P>, Static<Q>, Static<B>>): Promise<HandlerResult<Static<R>>>;
}

export interface Call<A = unknown, P = unknown, Q = unknown, B = unknown> {
  /** The modules that the route declares it calls. */
  readonly app: A;
  /** The signed-in user; on public routes and routes of sites a placeholder with id 0. */
  readonly user: HostUser;
  /** The connected site; null on routes without the policy `site`. */
  readonly site: SiteIdentity | null;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly request: RequestInfo;
  /**
   * May the caller use this section at this level (docs/interface.md §2.2)? Decided once per section, level
   * and request.
   */
  readonly allows: (section: Section, need?: 'read' | 'write') => Promise<boolean>;
}

/**
 * A route without its schema types, as the router stores it. It needs an `A` to be mounted; without one it is
 * only a declaration.
 */
export interface Route<in A = never> extends Omit<
  RouteSpec<A, TSchema, TSchema, TSchema, TSchema>,
  'handler'
> {
  /** The group of operations it belongs to in the OpenAPI document; ids begin with it. */
  readonly tag: string;
  handler(call: Call<A>): Promise<unknown>;
}

/** Makes the `defineRoute` of the routes with this tag, whose handlers call the modules of `A`. */
export const routesFor =
  <A>(tag: string) =>
  <
    const P extends TSchema = TSchema,
    const Q extends TSchema = TSchema,
    const B extends TSchema = TSchema,
    const R extends TSchema = TSchema,
  >(
    spec: RouteSpec<A, P, Q, B, R>,
  ): Route<A> =>
    // The schemas that validate the input prove the handler's argument types; the router passes exactly those
    // values.
    ({ ...spec, tag });

/** Where the request chooses rows; null for lists, where an unknown filter is ignored, and for other routes. */
export const selectsBy = ({
  selects,
  files,
  query,
  method,
}: Pick<Route, 'selects' | 'files' | 'query' | 'method'>): 'query' | 'body' | null =>
  selects ?? (files !== undefined && query !== undefined && method === 'get' ? 'query' : null);
