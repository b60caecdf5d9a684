import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallContext } from '../call-context.js';
import type { Platform } from '../platform.js';
import type { Db } from '../database/db.js';
import { fail, failFields } from '../../errors.js';
import { readJson } from '../../core/json.js';
import { MINUTE, HOUR } from '../../core/duration.js';
import type { Call, Route } from './define-route.js';
import { Reply, reply } from './reply.js';

const KEPT_HOURS = 24;
const KEY = /^[\x20-\x7e]{1,255}$/;
/** How long a claim counts as running before a repeat may take it over. */
const LOCK_MS = MINUTE;
const WAIT_STEP_MS = 200;
const WAIT_STEPS = 50;

/** The effect is committed, and its response is not stored yet. */
const COMMITTED = 0;

interface KeyOwner {
  readonly scope: string;
  readonly idem_key: string;
  readonly owner: string;
}
interface Row {
  fingerprint: string;
  owner: string;
  status: number | null;
  answer: unknown;
  claimed_until: number | string;
  expires_at: number | string;
}
interface SavedResponse {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

const PURPOSE = 'idempotency';

/**
 * Idempotency-Key on POST (docs/reliability.md §3.5): a repeat has no second effect and gets the stored
 * response. A short statement takes the key, because host code must not run inside a transaction. The first
 * write in each transaction of the request marks the row as committed, or fails when another request took the
 * key over, so that mark and effect are committed together. A row without the mark has no effect and may be
 * taken over; a row with it is never executed again. The response is stored after the handler has returned
 * it. If the process ends or the connection is lost before that, a repeat gets 409 `idempotency_committed`,
 * with the object that the request changed.
 */
export class Idempotency {
  constructor(private readonly app: Platform) {}

  async run(route: Route, call: Call, context: CallContext, work: () => Promise<unknown>): Promise<unknown> {
    const key = call.request.header('idempotency-key');
    const owner = call.site ? `site:${call.site.site_id}` : `user:${call.user.id}`;
    if (key === undefined || call.request.method !== 'POST' || route.secret || owner === 'user:0')
      return work();
    if (!KEY.test(key))
      failFields({ 'Idempotency-Key': { format: 'The key must be 1 to 255 printable characters.' } });
    const keyOwner = { scope: owner, idem_key: key, owner: randomUUID() };
    const stored = await this.#takeKey(
      keyOwner,
      askedFor(route, call),
      (route.lifetimeHours ?? KEPT_HOURS) * HOUR,
    );
    return stored ?? this.#execute(keyOwner, context, work);
  }

  async #execute(keyOwner: KeyOwner, context: CallContext, work: () => Promise<unknown>): Promise<unknown> {
    // Work that a host's handler left running after the response is no longer part of the request.
    let hasResponded = false;
    const onTransaction = async (trx: Db): Promise<void> => {
      if (!hasResponded) await this.#mark(trx, keyOwner, context.requestId);
    };
    let response: unknown;
    try {
      response = await this.app.context.run({ ...context, onTransaction }, work);
    } catch (error) {
      // The request was refused, or failed without effect, so the key may be used again.
      await this.#rows(keyOwner).whereNull('status').delete();
      // Committed, although the connection was lost at COMMIT: a repeat need not wait for it.
      await this.#rows(keyOwner).where({ status: COMMITTED }).update({ claimed_until: 0 });
      throw error;
    } finally {
      hasResponded = true;
    }
    await this.#store(keyOwner, response);
    return response;
  }

  /** Takes a free key; false when another request was faster. */
  async #takeFree(
    keyOwner: KeyOwner,
    asked: string,
    { now, lifetimeMs }: { readonly now: number; readonly lifetimeMs: number },
  ): Promise<boolean> {
    const { db, secrets } = this.app;
    const row = {
      ...keyOwner,
      fingerprint: secrets.sign(PURPOSE, asked),
      status: null,
      answer: null,
      claimed_until: now + LOCK_MS,
      created_at: now,
      expires_at: now + lifetimeMs,
    };
    await db.dialect.insertIfAbsent(db, 'idempotency_keys', row, ['scope', 'idem_key']);
    return (await this.#find(keyOwner))?.owner === keyOwner.owner;
  }

  /** The stored response, or null when this request now owns the key. */
  async #takeKey(keyOwner: KeyOwner, asked: string, lifetimeMs: number): Promise<Reply | null> {
    const { clock } = this.app;
    for (let step = 0; step <= WAIT_STEPS; step++) {
      const now = clock.now();
      const found = await this.#find(keyOwner);
      if (!found) {
        if (await this.#takeFree(keyOwner, asked, { now, lifetimeMs })) return null;
        continue;
      }
      if (Number(found.expires_at) <= now) {
        await this.#rows({ ...keyOwner, owner: found.owner }).delete();
        continue;
      }
      if (!this.app.secrets.verify(PURPOSE, asked, found.fingerprint)) fail('idempotency_key_reused');
      if (found.status !== null && found.status !== COMMITTED) return replay(found);
      if (Number(found.claimed_until) <= now) {
        if (found.status === COMMITTED) await this.#committed(found);
        if (await this.#takeOver(keyOwner, found.owner, now)) return null;
      }
      if (step < WAIT_STEPS) await sleep(WAIT_STEP_MS);
    }
    return fail('idempotency_in_progress', { retryAfter: 5 });
  }

  async #find({ scope, idem_key }: KeyOwner): Promise<Row | undefined> {
    const columns = ['fingerprint', 'owner', 'status', 'answer', 'claimed_until', 'expires_at'];
    return this.app.db.findByKey('idempotency_keys', columns, {
      scope,
      idem_key,
    }) as Promise<unknown> as Promise<Row | undefined>;
  }

  #rows(keyOwner: KeyOwner, db: Db = this.app.db): ReturnType<Db> {
    return db('idempotency_keys').where({
      scope: keyOwner.scope,
      idem_key: keyOwner.idem_key,
      owner: keyOwner.owner,
    });
  }

  // Waits for the row while the former owner's transaction is open, so that either the mark or the take-over
  // happens, never both.
  async #takeOver(keyOwner: KeyOwner, formerOwner: string, now: number): Promise<boolean> {
    const taken: number = await this.#rows({ ...keyOwner, owner: formerOwner })
      .whereNull('status')
      .update({ owner: keyOwner.owner, claimed_until: now + LOCK_MS });
    return taken === 1;
  }

  async #mark(trx: Db, keyOwner: KeyOwner, requestId: string): Promise<void> {
    const response = JSON.stringify({ request_id: requestId });
    const marked: number = await this.#rows(keyOwner, trx).update({ status: COMMITTED, answer: response });
    if (marked !== 1) fail('idempotency_in_progress');
  }

  /** The object comes from the audit log, which has the id of the request. */
  async #committed(row: Row): Promise<never> {
    const { request_id: requestId } = readJson<{ readonly request_id?: string }>(row.answer, {});
    const entry = requestId
      ? await this.app
          .db('audit')
          .first('object_type', 'object_id')
          .where({ request_id: requestId })
          .whereNotNull('object_id')
          .orderBy('id')
      : undefined;
    return fail(
      'idempotency_committed',
      entry ? { extra: { object: { type: String(entry.object_type), id: String(entry.object_id) } } } : {},
    );
  }

  async #store(keyOwner: KeyOwner, response: unknown): Promise<void> {
    const { body, options } = response instanceof Reply ? response : reply(response);
    const status = options.status ?? 200;
    const stored: SavedResponse = { body, headers: options.headers ?? {} };
    try {
      if (status < 300) await this.#rows(keyOwner).update({ status, answer: JSON.stringify(stored) });
      else await this.#rows(keyOwner).whereNull('status').delete();
    } catch (error) {
      // The effect is committed: the caller gets the response, although a repeat will only get 409.
      this.app.log.error('the response of an idempotent request was not stored', { error });
    }
  }
}

/** What a repeat must have in common with the first request. */
function askedFor(route: Route, { params, request }: Call): string {
  const [, ...rest] = request.target.split('?');
  const query = rest.join('?').replace(/(^|&)(?:query_timestamp|_wpnonce)=[^&]*/g, '');
  return JSON.stringify([route.id, params, query, request.submitted], withoutTimestamp);
}

// The console and portal add a new timestamp to every call, also to a repeated one.
const withoutTimestamp = (key: string, value: unknown): unknown =>
  key === 'query_timestamp' || key === '_wpnonce' ? undefined : value;

function replay(row: Row): Reply {
  const { body, headers } = readJson<SavedResponse>(row.answer, { body: null, headers: {} });
  return reply(body, { status: Number(row.status), headers: { ...headers, 'Idempotency-Replayed': 'true' } });
}
