import type { Static, TSchema } from 'typebox';
import type { HostUser } from '../../../adapters/host.js';
import type { Policy, Section } from '../access/policies.js';
import type { App } from '../../app.js';
import type { BodyRules } from './body.js';
import type { Export } from './export.js';
import type { FormParts } from './form-parts.js';
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
export interface RouteSpec<P extends TSchema, Q extends TSchema, B extends TSchema, R extends TSchema> {
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
  readonly formParts?: FormParts;
  /** Names of the stored settings that are answered or changed: `ETag` and `If-Match` compare their state. */
  readonly settings?: readonly string[] | ((call: Call) => readonly string[]);
  /** A plain value is answered as 200 JSON; `reply()` adds headers, `exportRows()` sends a file. */
  handler(call: Call<Static<P>, Static<Q>, Static<B>>): Promise<Answer<Static<R>>>;
}

/** Who a connected site proved to be. */
export interface SiteIdentity {
  readonly site_id: string;
}

export interface Call<P = unknown, Q = unknown, B = unknown> {
  readonly app: App;
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

/** A route with its schema types erased, as the router holds it. */
export interface Route extends Omit<RouteSpec<TSchema, TSchema, TSchema, TSchema>, 'handler'> {
  handler(call: Call): Promise<unknown>;
}

export function defineRoute<
  const P extends TSchema = TSchema,
  const Q extends TSchema = TSchema,
  const B extends TSchema = TSchema,
  const R extends TSchema = TSchema,
>(spec: RouteSpec<P, Q, B, R>): Route {
  // The handler's argument types are proven by the schemas that validate them;
  // the router passes exactly those values.
  return spec;
}
