import { createdOf, type DayQuery } from '../../records/filters.js';
import { randomBytes } from 'node:crypto';
import type { Page } from '../../core/page.js';
import { DAY } from '../../core/duration.js';
import type { Db } from '../../platform/database/db.js';
import type { ResealReport } from '../../platform/secrets.js';
import { fail } from '../../errors.js';
import { NEWEST_FIRST, readPage } from '../../records/list.js';
import type { DeliveryResponse } from '../../program/outbox/types.js';
import type { Deps } from './deps.js';
import { WebhookSender } from './delivery.js';
import { checkEndpoint } from './endpoint-input.js';
import { deliveryOf, EventSequence, wants } from './sequence.js';
import { bodyOf, webhookId } from './event-body.js';
import type { EventDto } from './schemas.js';
import * as store from './repository.js';
import { SECRET_PREFIX } from './signing.js';
import { withRelatedRecords } from './related-records.js';
import { deliveries, endpoints, type WebhookDelivery, type Endpoint } from './record.js';
import type { EndpointInput, EndpointPatch } from './types.js';

export const MAX_ENDPOINTS = 50;
const KEEP_MS = 30 * DAY;
const ROTATION_MS = DAY;
const REPLAY_PAGE = 1000;
const MAX_LISTED = 500;
const PURPOSE = 'webhook';

/**
 * Events for other systems (docs/events.md): written with each change, numbered, and sent with a signature.
 */
export class WebhooksService {
  readonly #line: EventSequence;
  readonly #delivery: WebhookSender;

  constructor(private readonly app: Deps) {
    this.#line = new EventSequence(app);
    this.#delivery = new WebhookSender(app, (endpoint) => this.#secretsOf(endpoint));
  }

  /** Gives waiting events their ids and deliveries. Returns how many. */
  lineUp(): Promise<number> {
    return this.#line.run();
  }

  isWaiting(): Promise<boolean> {
    return store.isWaiting(this.app.db);
  }

  async isDue(): Promise<boolean> {
    return (await this.app.outbox.dueChannels()).some((channel) => channel !== 'mail');
  }

  /** Sends what is due to every endpoint. Returns how many events arrived. */
  deliverDue(): Promise<number> {
    return this.#delivery.run();
  }

  /**
   * Events after an id, oldest first, at most 500, of some types or all; without payment details. Stored for
   * 30 days. Throws `events_restarted` to a reader who has seen more than there is.
   */
  async list(
    after = 0,
    types: readonly string[] | null = null,
    limit = MAX_LISTED,
    { persons = true }: { readonly persons?: boolean } = {},
  ): Promise<EventDto[]> {
    const events = await store.eventsAfter(this.app.db, { after, types, limit: Math.min(limit, MAX_LISTED) });
    if (events.length === 0 && after > 0) await this.#refuseAhead(after);
    return (await withRelatedRecords(this.app, events, { persons })).map((event) => ({
      id: event.id,
      webhook_id: webhookId(event),
      ...bodyOf(event, { paymentDetails: false }),
    }));
  }

  async #refuseAhead(after: number): Promise<void> {
    const last = await store.lastEventBefore(this.app.db, Number.MAX_SAFE_INTEGER);
    if (last > 0 && after > last) fail('events_restarted');
  }

  endpoints(): Promise<Endpoint[]> {
    return store.listEndpoints(this.app.db);
  }

  /** Throws `webhook_not_found`. */
  async endpoint(id: number): Promise<Endpoint> {
    return (await store.findEndpoint(this.app.db, id)) ?? fail('webhook_not_found');
  }

  /** Makes an endpoint; the result contains the secret. Throws `validation_failed`, `too_many_webhooks`. */
  async createEndpoint(input: EndpointInput): Promise<{ endpoint: Endpoint; secret: string }> {
    const checked = checkEndpoint(input, null, this.app.options.events);
    const now = this.app.clock.now();
    const secret = newSecret();
    const row: Omit<Endpoint, 'id'> = {
      ...checked,
      disabled_reason: null,
      secret: this.#seal(secret),
      former_secret: null,
      former_until: null,
      failing_since: null,
      failures: 0,
      paused_until: null,
      created_by: this.app.context.current().user?.id ?? null,
      created_at: now,
      updated_at: now,
    };
    return this.app.transaction(async (trx, afterCommit) => {
      if ((await store.listEndpoints(trx)).length >= MAX_ENDPOINTS) fail('too_many_webhooks');
      const endpoint = { ...row, id: await store.insertEndpoint(trx, row) };
      await this.#audit(trx, 'webhook.created', endpoint.id, undefined, endpoint);
      afterCommit(() => this.app.eventLog.forgetRequested());
      return { endpoint, secret };
    });
  }

  /**
   * Absent fields do not change. An endpoint that is switched on again starts without its former failures.
   */
  async updateEndpoint(id: number, input: EndpointPatch): Promise<Endpoint> {
    return this.app.transaction(async (trx, afterCommit) => {
      const before = (await store.lockEndpoint(trx, id)) ?? fail('webhook_not_found');
      const checked = checkEndpoint(input, before, this.app.options.events);
      const isStarted = checked.status === 'active' && before.status === 'disabled';
      const changes: Partial<Omit<Endpoint, 'id'>> = {
        ...checked,
        ...(isStarted && { failures: 0, failing_since: null, paused_until: null }),
        ...(checked.status !== before.status && { disabled_reason: null }),
        updated_at: this.app.clock.now(),
      };
      if (!(await store.updateEndpoint(trx, id, changes))) fail('webhook_not_found');
      const after = { ...before, ...changes };
      await this.#audit(trx, 'webhook.updated', id, before, after);
      afterCommit(() => this.app.eventLog.forgetRequested());
      return after;
    });
  }

  /** Removes the endpoint and all its deliveries. */
  async removeEndpoint(id: number): Promise<void> {
    await this.app.transaction(async (trx, afterCommit) => {
      const before = (await store.lockEndpoint(trx, id)) ?? fail('webhook_not_found');
      if (!(await store.deleteEndpoint(trx, id))) fail('webhook_not_found');
      await this.#audit(trx, 'webhook.deleted', id, before, undefined);
      afterCommit(() => this.app.eventLog.forgetRequested());
    });
  }

  async secret(id: number): Promise<string> {
    return this.#open((await this.endpoint(id)).secret);
  }

  /** Makes a new secret; for a day, the former one signs too. */
  async rotateSecret(id: number): Promise<string> {
    const secret = newSecret();
    await this.app.transaction(async (trx) => {
      const before = (await store.lockEndpoint(trx, id)) ?? fail('webhook_not_found');
      const now = this.app.clock.now();
      await store.updateEndpoint(trx, id, {
        secret: this.#seal(secret),
        former_secret: before.secret,
        former_until: now + ROTATION_MS,
        updated_at: now,
      });
      await this.app.audit.write(trx, 'webhook.rotated', ['webhook', id]);
    });
    return secret;
  }

  /** Sends `test.ping` at once. Returns the response. */
  async ping(
    id: number,
  ): Promise<{ delivered: boolean; answer: DeliveryResponse | null; error: string | null }> {
    return this.#delivery.ping(await this.endpoint(id));
  }

  async deliveries(
    id: number,
    query: DayQuery & { readonly page: number; readonly per_page: number; readonly status?: string | null },
  ): Promise<Page<WebhookDelivery>> {
    await this.endpoint(id);
    const created = createdOf(query, this.app.host.site().timeZone);
    const matching = store.deliveriesMatching({ endpoint: id, status: query.status ?? null, created });
    return readPage(this.app.db, deliveries, matching, { ...query, order: NEWEST_FIRST });
  }

  async resend(id: number, deliveryId: number): Promise<void> {
    await this.endpoint(id);
    if (!(await store.sendAgain(this.app.db, id, deliveryId, this.app.clock.now())))
      fail('delivery_not_found');
  }

  /**
   * Sends again everything since an instant that the endpoint asks for, also what happened while it was off.
   * Returns how many events.
   */
  async replay(id: number, from: number): Promise<number> {
    const endpoint = await this.endpoint(id);
    const now = this.app.clock.now();
    const start = await store.lastEventBefore(this.app.db, Math.max(from, now - KEEP_MS));
    await store.sendAllAgain(this.app.db, id, start, now);
    let count = 0;
    for (let after = start; ;) {
      const events = await store.eventsAfter(this.app.db, { after, types: null, limit: REPLAY_PAGE });
      const wanted = events.filter((event) => wants(endpoint, event));
      await this.app.outbox.enqueue(
        this.app.db,
        wanted.map((event) => deliveryOf(endpoint, event)),
      );
      count += wanted.length;
      if (events.length < REPLAY_PAGE) return count;
      after = events.at(-1)?.id ?? after;
    }
  }

  purge(now: number = this.app.clock.now()): Promise<number> {
    return store.purgeEvents(this.app.db, now - KEEP_MS);
  }

  #secretsOf({ secret, former_secret: former, former_until: until }: Endpoint): string[] {
    const isRotating = former !== null && (until ?? 0) > this.app.clock.now();
    return [this.#open(secret), ...(isRotating ? [this.#open(former)] : [])];
  }

  /** Seals the secrets of endpoints with the current secret. */
  async resealSecrets(): Promise<ResealReport> {
    const done = { renewed: 0, lost: 0 };
    for (const { id, sealed } of await store.sealedSecrets(this.app.db)) {
      const renewed = sealed.map((each) => each && this.app.secrets.renewed(PURPOSE, each));
      if (renewed[0] === null) done.lost += 1;
      else if (renewed.some((each, at) => each !== sealed[at])) {
        done.renewed += 1;
        await store.reseal(this.app.db, id, renewed);
      }
    }
    return done;
  }

  #seal(secret: string): string {
    return this.app.secrets.seal(PURPOSE, secret);
  }

  #open(sealed: string): string {
    return this.app.secrets.open(PURPOSE, sealed) ?? fail('webhook_secret_lost');
  }

  #audit(
    trx: Db,
    action: string,
    id: number,
    before: Endpoint | undefined,
    after: Endpoint | undefined,
  ): Promise<void> {
    return this.app.audit.write(trx, action, ['webhook', id], {
      before: before && endpoints.audited(before),
      after: after && endpoints.audited(after),
    });
  }
}

const newSecret = (): string => SECRET_PREFIX + randomBytes(32).toString('base64');
