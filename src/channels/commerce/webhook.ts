import type { CommerceProvider, Delivery, WebhookSource } from '../../../adapters/commerce.js';
import { PROBLEMS } from '../../core/unreadable-field.js';
import { parseBigJson } from '../../core/big-json.js';
import { isMap } from '../../core/is-map.js';
import { MINUTE } from '../../core/duration.js';
import { AffiliateError, fail, failFields } from '../../errors.js';
import type { RequestInfo } from '../../platform/http/request-info.js';
import { RateLimiter, type RateLimit } from '../../platform/http/rate-limit.js';
import type { Deps } from './deps.js';
import type { Inbox } from './inbox.js';
import type { ProviderRegistry } from './registry.js';
import { readBy, Unreadable } from './unreadable.js';

const MAX_BYTES = 2 * 1024 * 1024;
const BUDGET_MS = 3000;
const RETRY_SECONDS = 60;
const UNVERIFIED: RateLimit = { name: 'webhook', points: 60, windowMs: MINUTE, batch: 1 };

/**
 * The response to every sender, for every decision: reasons of the business are not errors
 * (docs/integrations.md §5).
 */
export const RECEIVED = { received: true } as const;

/** Turns a signed request into rows of the inbox. */
export class WebhookReceiver {
  readonly #limiter: RateLimiter;
  readonly #logged = new Set<string>();

  constructor(
    private readonly app: Deps,
    private readonly parts: { readonly registry: ProviderRegistry; readonly inbox: Inbox },
  ) {
    this.#limiter = new RateLimiter(app);
  }

  async receive(key: string, request: RequestInfo): Promise<typeof RECEIVED> {
    const provider = this.parts.registry.get(key);
    const source = provider?.webhook;
    if (!provider || !source) return fail('rest_no_route');
    const body = request.rawBody ?? fail('webhook_raw_body_missing');
    if (body.length > (source.maxBytes ?? MAX_BYTES)) fail('payload_too_large');
    const delivery = deliveryOf(body, request);
    if (source.isProbe?.(delivery) === true) return RECEIVED;
    await this.#verified(source, delivery, request.ip);
    if (!isMap(delivery.json)) fail('webhook_payload_invalid');
    await this.#take(provider, source, delivery);
    return RECEIVED;
  }

  /** Only requests without a valid signature are limited: a busy shop is never slowed down. */
  async #verified(source: WebhookSource, delivery: Delivery, address: string | null): Promise<void> {
    const verdict = source.verify(delivery, this.app.clock.now());
    if (verdict.ok) return;
    await this.#limiter.takeAddress(UNVERIFIED, address);
    fail('webhook_signature_invalid', { status: verdict.status });
  }

  async #take(provider: CommerceProvider, source: WebhookSource, delivery: Delivery): Promise<void> {
    const key = source.deliveryKey(delivery);
    let ids: number[] | null;
    try {
      const events = readBy(source, delivery);
      if (events instanceof Unreadable) {
        await this.parts.inbox.storeUnreadable(provider, key, events);
        return this.#failUnreadable(source, events);
      }
      if (events.length === 0) this.#remark(provider.key, source.remark?.(delivery) ?? null);
      ids = await this.parts.inbox.store(provider, key, events);
    } catch (cause) {
      if (cause instanceof AffiliateError) throw cause;
      // It was not stored, so the sender has to repeat it.
      return fail('busy', { retryAfter: RETRY_SECONDS, cause });
    }
    if (ids !== null) await this.#within(this.#work(ids));
  }

  /** Logged once per process, since the sender continues anyway. */
  #remark(provider: string, remark: string | null): void {
    if (remark === null || this.#logged.has(provider)) return;
    this.#logged.add(provider);
    this.app.log.warn('a shop sent a webhook that cannot be read', { provider, remark });
  }

  /** Only the developers of an own shop want to know at once. */
  #failUnreadable(
    { reportsUnreadable: tellsProblems = false }: WebhookSource,
    { problem }: Unreadable,
  ): void {
    if (!tellsProblems || problem === null) return;
    failFields({ [problem.field]: { [problem.problem]: PROBLEMS[problem.problem] } });
  }

  async #work(ids: readonly number[]): Promise<void> {
    for (const id of ids) await this.parts.inbox.work(id);
  }

  /** Senders do not wait long, so longer work continues after the response. */
  async #within(work: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const settled = work.catch((error: unknown) => {
      this.app.log.error('a shop event failed', { error });
    });
    await Promise.race([
      settled,
      new Promise<void>((resolve) => {
        timer = setTimeout(resolve, BUDGET_MS).unref();
      }),
    ]);
    clearTimeout(timer);
  }
}

/** Parsed only when needed: deeply nested brackets take seconds, which only a signed request may use. */
function deliveryOf(body: Buffer, request: RequestInfo): Delivery {
  let parsed: { readonly value: unknown } | undefined;
  return {
    body,
    get json() {
      return (parsed ??= { value: parseBigJson(body) }).value;
    },
    header: (name) => request.header(name),
  };
}
