import { guardedFetch, type Fetch } from '../../core/guarded-fetch.js';
import { SECOND, MINUTE, HOUR, DAY } from '../../core/duration.js';
import { AffiliateError } from '../../errors.js';
import type { Db } from '../../platform/database/db.js';
import type { DeliveryResponse, DueEntry, SendResult } from '../../program/outbox/types.js';
import type { Deps } from './deps.js';
import { PING } from './catalog.js';
import { endpointDisabled } from './domain-events.js';
import { bodyOf, webhookId } from './event-body.js';
import * as store from './repository.js';
import { signatureHeader } from './signing.js';
import { withRelatedRecords } from './related-records.js';
import type { Endpoint } from './types.js';

const TIMEOUT_MS = 10 * SECOND;
const RETRY_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
const AT_ONCE = 4;
const GIVE_UP_MS = 5 * DAY;
const RUN_MS = 30 * SECOND;
const ANSWER_BYTES = 1024;
const LONGEST_PAUSE_MS = 5 * MINUTE;
/** After this many failures in a row, for any objects, the endpoint itself is considered down. */
const FAILURES_BEFORE_PAUSE = 8;
const JITTER = 0.1;

const USER_AGENT = 'affiliate-service';

/**
 * Sends events to their endpoints: signed, by the guarded client, four at a time for each endpoint, in one
 * process.
 */
export class WebhookSender {
  readonly #fetch: Fetch;

  constructor(
    private readonly app: Deps,
    private readonly secretsOf: (endpoint: Endpoint) => readonly string[],
  ) {
    this.#fetch = guardedFetch(app.options.events);
  }

  /** Sends everything that is due, for each endpoint separately. Returns how many events arrived. */
  async run(): Promise<number> {
    const channels = (await this.app.outbox.dueChannels()).filter((channel) => channel !== 'mail');
    const arrived = await Promise.all(
      channels.map((channel) => this.#runEndpoint(Number(channel.slice('webhook:'.length)))),
    );
    return arrived.reduce((sum, count) => sum + count, 0);
  }

  /** Sends `test.ping` at once. Returns the response. */
  async ping(
    endpoint: Endpoint,
  ): Promise<{ delivered: boolean; answer: DeliveryResponse | null; error: string | null }> {
    const now = this.app.clock.now();
    const body = { type: PING, timestamp: new Date(now).toISOString(), data: {}, previous: {} };
    const sent = await this.#post(endpoint, `ping_${endpoint.id}_${now}`, body);
    return {
      delivered: sent.outcome === 'sent',
      answer: sent.response ?? null,
      error: sent.outcome === 'failed' ? sent.error : null,
    };
  }

  async #runEndpoint(id: number): Promise<number> {
    const until = this.app.clock.now() + RUN_MS;
    const done = await this.app.withLease(`events:webhook:${id}`, (lease) => {
      let endpoint: Endpoint | null = null;
      return this.app.outbox.run(`webhook:${id}`, {
        retryMs: (attempt) => withJitter(RETRY_MS[attempt]),
        batch: AT_ONCE,
        atOnce: AT_ONCE,
        goOn: async () => {
          endpoint = await store.findEndpoint(this.app.db, id);
          const now = this.app.clock.now();
          return (
            !lease.lost &&
            now <= until &&
            endpoint?.status === 'active' &&
            (endpoint.paused_until ?? 0) <= now
          );
        },
        send: (entry) => this.#send(endpoint, entry),
      });
    });
    return done?.value ?? 0;
  }

  async #send(endpoint: Endpoint | null, entry: DueEntry): Promise<SendResult> {
    const event = entry.event_id === null ? null : await store.findEvent(this.app.db, entry.event_id);
    if (endpoint === null || event === null) return { outcome: 'skipped' };
    const [whole = event] = await withRelatedRecords(this.app, [event], { persons: true });
    const body = bodyOf(whole, { paymentDetails: endpoint.payment_details });
    const sent = await this.#post(endpoint, webhookId(event), body);
    if (sent.outcome === 'failed') await this.#failed(endpoint.id, sent);
    else await this.#arrived(endpoint);
    return sent;
  }

  async #post(endpoint: Endpoint, id: string, body: object): Promise<SendResult> {
    const text = JSON.stringify(body);
    const timestamp = Math.floor(this.app.clock.now() / SECOND);
    try {
      const response = await this.#fetch(new URL(endpoint.url), {
        method: 'POST',
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        body: text,
        headers: {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(text)),
          'user-agent': USER_AGENT,
          'webhook-id': id,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': signatureHeader({ id, timestamp, body: text }, this.secretsOf(endpoint)),
        },
      });
      const received = { status: response.status, text: await beginning(response) };
      if (response.status >= 200 && response.status < 300) return { outcome: 'sent', response: received };
      return {
        outcome: 'failed',
        error: `answered ${response.status}`,
        response: received,
        retryAfterMs: retryAfter(response.headers.get('retry-after'), this.app.clock.now()),
      };
    } catch (error) {
      const isLost = error instanceof AffiliateError; // its secret cannot be decrypted
      this.app.log[isLost ? 'warn' : 'debug']('an event could not be delivered', {
        endpoint: endpoint.id,
        error,
      });
      return { outcome: 'failed', error: reasonOf(error), response: { status: null, text: '' } };
    }
  }

  async #arrived({ id, failures, failing_since: since }: Endpoint): Promise<void> {
    if (failures === 0 && since === null) return;
    await store.updateEndpoint(this.app.db, id, { failures: 0, failing_since: null, paused_until: null });
  }

  /** Counts under a lock, because four deliveries of one endpoint may fail at the same moment. */
  async #failed(id: number, { response: answer }: Extract<SendResult, { outcome: 'failed' }>): Promise<void> {
    const now = this.app.clock.now();
    await this.app.transaction(async (trx) => {
      const endpoint = await store.lockEndpoint(trx, id);
      if (endpoint?.status !== 'active') return;
      const failures = endpoint.failures + 1;
      const since = endpoint.failing_since ?? now;
      const over = failures - FAILURES_BEFORE_PAUSE;
      const pause = over < 0 ? null : now + Math.min(LONGEST_PAUSE_MS, 5 * SECOND * 2 ** Math.min(over, 10));
      const changes = { failures, failing_since: since, paused_until: pause, updated_at: now };
      await store.updateEndpoint(trx, id, changes);
      const reason = answer?.status === 410 ? 'gone' : now - since >= GIVE_UP_MS ? 'failing' : null;
      if (reason !== null) await this.#switchOff(trx, endpoint, reason);
    });
  }

  async #switchOff(trx: Db, endpoint: Endpoint, reason: 'gone' | 'failing'): Promise<void> {
    const now = this.app.clock.now();
    await store.updateEndpoint(trx, endpoint.id, {
      status: 'disabled',
      disabled_reason: reason,
      updated_at: now,
    });
    await this.app.audit.write(trx, 'webhook.disabled', ['webhook', endpoint.id], { after: { reason } });
    await this.app.internal.emit(endpointDisabled, trx, { id: endpoint.id, at: now });
  }
}

const withJitter = (wait: number | undefined): number | undefined =>
  wait === undefined ? undefined : Math.round(wait * (1 - JITTER + 2 * JITTER * Math.random()));

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'not reachable';
  if (error instanceof AffiliateError) return error.message;
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'no answer within 10 seconds';
  if (error.name === 'PrivateAddressError') return 'the address is not one of the public internet';
  return 'not reachable';
}

/** The first 1 KiB of a response; the rest is not read. */
async function beginning({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    parts.push(part);
    size += part.length;
    if (size >= ANSWER_BYTES) break;
  }
  return Buffer.concat(parts).subarray(0, ANSWER_BYTES).toString('utf8').replaceAll('\u0000', '');
}

/** Seconds or an HTTP date; at most a day. */
function retryAfter(header: string | null, now: number): number {
  if (header === null) return 0;
  const wait = /^\d{1,9}$/.test(header) ? Number(header) * SECOND : Date.parse(header) - now;
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), DAY) : 0;
}
