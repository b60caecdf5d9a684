import type { HostUser } from '../../../adapters/host.js';
import type { PresentedKey } from '../access/key-rights.js';
import { Turns } from '../../core/turns.js';
import type { CallContext } from '../call-context.js';
import { AffiliateError, fail } from '../../errors.js';
import type { StatementPurpose } from '../database/limits.js';
import { selectsBy, type Call, type Route } from './define-route.js';
import type { RequestInfo } from './request-info.js';
import { Export, withoutReaders } from './export.js';
import { Exporter } from './exporter.js';
import { withEmptied, type FormParts } from './form-parts.js';
import { authorize, needOf, sectionAccess } from './guard.js';
import { Idempotency } from './idempotency.js';
import type { Plain } from './limits.js';
import type { Schema } from './normalize.js';
import type { RouterNeeds } from './deps.js';
import { RateLimiter } from './rate-limit.js';
import { Reply, reply, sendReply } from './reply.js';
import type { Exchange } from './request.js';
import { checkSelection } from './selection.js';
import { withStoredState } from './stored-state.js';
import { Validator } from './validate.js';

const ANONYMOUS: HostUser = {
  id: 0,
  login: '',
  email: '',
  display_name: '',
  first_name: '',
  last_name: '',
  full_name: '',
  url: '',
  avatar: '',
  registered_at: '',
};

/**
 * The steps between a matched route and its response: body, access, limits, validation, handler
 * (docs/interface.md §1.2).
 */
export class Pipeline<A extends RouterNeeds> {
  readonly limiter: RateLimiter;
  readonly #validator = new Validator();
  readonly #exporter = new Exporter();
  readonly #idempotency: Idempotency;
  readonly #searches = new Turns();

  constructor(private readonly app: A) {
    this.limiter = new RateLimiter(app);
    this.#idempotency = new Idempotency(app);
  }

  /** Null when the address only looks like this route's. */
  params(route: Route, params: Readonly<Record<string, string>>): unknown {
    return route.params ? this.#validator.readParams(route.params, params) : params;
  }

  run(route: Route<A>, params: unknown, exchange: Exchange): Promise<void> {
    const context: CallContext = {
      user: exchange.user,
      ...(exchange.apiKey && { apiKey: identityOf(exchange.apiKey) }),
      requestId: exchange.id,
      route: route.id,
      source: isPortal(route) ? 'portal' : 'rest',
      access: needOf(exchange.method),
    };
    return this.app.telemetry.span('affiliate.request', { route: route.id, request_id: exchange.id }, () =>
      this.#respond(route, params, exchange, context),
    );
  }

  #respond(route: Route<A>, params: unknown, exchange: Exchange, context: CallContext): Promise<void> {
    return this.app.limited(purposeOf(route, context), () =>
      this.app.context.run(context, async () => {
        const call = await this.#call(route, params, exchange);
        const response = this.#idempotency.run(route, call, context, () =>
          withStoredState(this.app, { route, call, context }, () => this.#handled(route, call, exchange)),
        );
        const made = await response.catch((error: unknown) => this.#failed(call, error));
        await this.#send(exchange, await this.#visible(route, call, made));
      }),
    );
  }

  /**
   * A search reads whole tables, so several at once would take the database's processors from clicks and
   * orders. A process runs one at a time; one whose client has disconnected is skipped.
   */
  async #handled(route: Route<A>, call: Call<A>, { res }: Exchange): Promise<unknown> {
    if (!isSearch(call)) return route.handler(call);
    if (this.#searches.size >= SEARCHES_MAX) return fail('busy', { retryAfter: 1 });
    return this.#searches.take(async () => (res.destroyed ? fail('busy') : route.handler(call)));
  }

  async #call(route: Route<A>, params: unknown, exchange: Exchange): Promise<Call<A>> {
    const { fields: sent, ...read } = await exchange.body(route.accepts);
    const body = { ...read, fields: withoutNonce(sent) };
    const query = withoutNonce(exchange.query);
    const seen = exchange.info(body);
    const site = await authorize(exchange, route.access, seen);
    const request = route.formParts && read.formEncoded ? await this.#filled(route.formParts, seen) : seen;
    refuseBlindly(route, query, request.submitted);
    return {
      app: this.app,
      user: exchange.user ?? ANONYMOUS,
      site,
      params,
      query: route.query ? this.#validator.read(route.query, query) : query,
      // A body field replaces a query parameter of the same name (docs/interface.md §1.1).
      body: route.body ? this.#validator.read(route.body, withQuery(route, query, request.submitted)) : {},
      request,
      allows: sectionAccess(exchange, request),
    };
  }

  /**
   * Affiliates inside other records are whole only for callers who may read affiliates. It is decided here, so that
   * no route can forget it.
   */
  async #visible({ response }: Route<A>, { allows }: Call<A>, result: unknown): Promise<unknown> {
    if (result instanceof Export) {
      const open = result.source.forReaders === undefined || (await allows('affiliates'));
      return open ? result : withoutReaders(result);
    }
    if (!showsAffiliates(response) || (await allows('affiliates'))) return result;
    const options = { payment: await allows('payouts') };
    const { trimmed } = this.app.affiliates;
    if (!(result instanceof Reply)) return trimmed(result, options);
    return reply(trimmed(result.body, options), result.options);
  }

  /**
   * A search that took too long gets its own error, because a repeat would take as long. So does every list
   * on SQLite, where readers never wait for a lock: a rare order of very many rows.
   */
  #failed({ query }: Call<A>, error: unknown): never {
    const { dialect } = this.app.db;
    const asked = (query ?? {}) as { readonly per_page?: unknown };
    const tooMuch = isSearch({ query }) || (dialect.name === 'sqlite' && asked.per_page !== undefined);
    const cause = error instanceof AffiliateError && error.code === 'busy' ? error.cause : undefined;
    if (tooMuch && dialect.failure(cause) === 'timeout' && !isUnconnected(cause))
      return fail('search_too_slow', { cause: error });
    throw error;
  }

  async #filled(parts: FormParts<A>, request: RequestInfo): Promise<RequestInfo> {
    return { ...request, submitted: await withEmptied(this.app, parts, request.submitted) };
  }

  async #send(exchange: Exchange, result: unknown): Promise<void> {
    if (result instanceof Export) await this.#exporter.send(exchange, result);
    else sendReply(exchange.res, result instanceof Reply ? result : reply(result));
  }
}

const identityOf = ({ id, name, created_by }: PresentedKey): NonNullable<CallContext['apiKey']> => ({
  id,
  name,
  created_by,
});
const KNOWN = new WeakMap<object, boolean>();
/** Does the schema of a response contain affiliates? */
function showsAffiliates(schema: object): boolean {
  const known = KNOWN.get(schema) ?? JSON.stringify(schema).includes('"user_details"');
  KNOWN.set(schema, known);
  return known;
}

/** Searches of a process that wait for their turn. */
const SEARCHES_MAX = 50;
const isSearch = ({ query }: { readonly query: unknown }): boolean =>
  Boolean((query as { readonly search?: unknown } | undefined)?.search);

const isPortal = ({ access }: Route): boolean => access.kind === 'signed_in' && access.checks === undefined;
const purposeOf = (route: Route, { access }: CallContext): StatementPurpose =>
  access === 'read' && !route.slow ? 'list' : 'other';

/**
 * Removes the nonce, which only the guard reads, before handlers, hooks and rows get the fields
 * (docs/reliability.md §1).
 */
function withoutNonce(fields: Plain): Plain {
  if (!Object.hasOwn(fields, '_wpnonce')) return fields;
  const { _wpnonce: _, ...rest } = fields;
  return rest;
}

/** A choice that selects nothing must not select everything. */
function refuseBlindly(route: Route, query: Plain, submitted: Readonly<Plain>): void {
  const by = selectsBy(route);
  if (by === null) return;
  const schema: Schema = (by === 'query' ? route.query : route.body) ?? {};
  checkSelection(by === 'query' ? query : { ...query, ...submitted }, schema.properties ?? {});
}

const withQuery = (route: Route, query: Plain, fields: Readonly<Plain>): Plain =>
  route.query ? fields : { ...query, ...fields };

/** Did no statement run, because there was no connection in time? Fewer rows would not help then. */
const isUnconnected = (cause: unknown): boolean =>
  cause instanceof Error &&
  (cause.name === 'KnexTimeoutError' || /^(?:timeout expired|connect ETIMEDOUT)/.test(cause.message));
