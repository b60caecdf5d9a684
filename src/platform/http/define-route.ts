import type { Static, TSchema } from 'typebox';
import type { HostUser } from '../../../adapters/host.js';
import type { Policy, Section } from '../access/policies.js';
import type { BodyRules } from './body.js';
import type { Export } from './export.js';
import type { FormParts } from './form-parts.js';
import type { SiteIdentity } from './needs.js';
import type { Reply } from './reply.js';
import type { RequestInfo } from './request-info.js';

export type HttpMethod = 'get' | 'post' | 'patch' | 'delete';

/**
 * What a handler gives: what `response` declares, alone or with headers;
 * or a file, as text, as bytes or as rows that the router sends.
 */
export type Answer<R> = R | Reply<R> | Reply<string | Buffer> | Export;

/**
 * One endpoint, stated once: mounting, guard, validation, types, OpenAPI,
 * its row in docs/reference.md and the per-route tests follow from it.
 */
export interface RouteSpec<A, P extends TSchema, Q extends TSchema, B extends TSchema, R extends TSchema> {
  /** Operation id and test name, e.g. `groups.update`. */
  readonly id: `${string}.${string}`;
  readonly method: HttpMethod;
  /** Documented form first, aliases after it. Only `:name` parameters. */
  readonly paths: readonly [`/${string}`, ...`/${string}`[]];
  readonly access: Policy;
  readonly summary: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly response: R;
  /** Answers hold a secret: never stored for replay, never logged. */
  readonly secret?: boolean;
  /** Media types of the answer where it is, or may be, a file. */
  readonly files?: readonly string[];
  /** How long the answer to an `Idempotency-Key` is kept; a day unless given. */
  readonly keptHours?: number;
  /** Reads that take longer than a list has the time of a report. */
  readonly slow?: boolean;
  /** Other bodies than JSON and forms up to 1 MiB. */
  readonly accepts?: BodyRules;
  /** Lists and maps that vanish from a form when they are empty. */
  readonly formParts?: FormParts<A>;
  /** Names of the stored settings that are answered or changed: `ETag` and `If-Match` compare their state. */
  readonly settings?: readonly string[] | ((call: Call<A>) => readonly string[]);
  /** A plain value is answered as 200 JSON; `reply()` adds headers, `exportRows()` sends a file. */
  handler(call: Call<A, Static<P>, Static<Q>, Static<B>>): Promise<Answer<Static<R>>>;
}

export interface Call<A = unknown, P = unknown, Q = unknown, B = unknown> {
  /** The modules that the route declares it calls. */
  readonly app: A;
  /** The signed-in user; on public and site routes a placeholder with id 0. */
  readonly user: HostUser;
  /** The connected site, on routes with the policy `site`. */
  readonly site: SiteIdentity | null;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly request: RequestInfo;
  /**
   * Does the caller pass this section at this level (docs/interface.md §2.2)?
   * Asked once per section and level per request.
   */
  readonly allows: (section: Section, need?: 'read' | 'write') => Promise<boolean>;
}

/**
 * A route with its schema types erased, as the router holds it. It can be mounted where there is an `A`;
 * without one it is only what the route declares.
 */
export interface Route<in A = never> extends Omit<
  RouteSpec<A, TSchema, TSchema, TSchema, TSchema>,
  'handler'
> {
  handler(call: Call<A>): Promise<unknown>;
}

/** The `defineRoute` of handlers that call the modules of `A`. */
export const routesFor =
  <A>() =>
  <
    const P extends TSchema = TSchema,
    const Q extends TSchema = TSchema,
    const B extends TSchema = TSchema,
    const R extends TSchema = TSchema,
  >(
    spec: RouteSpec<A, P, Q, B, R>,
  ): Route<A> =>
    // The handler's argument types are proven by the schemas that validate them;
    // the router passes exactly those values.
    spec;
