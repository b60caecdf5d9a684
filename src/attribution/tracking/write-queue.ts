import { AsyncResource } from 'node:async_hooks';
import { Gatherer } from '../../core/gatherer.js';
import type { Deps } from './deps.js';
import { commitClicks } from './commit.js';
import type { Click, ClickOutcome } from './types.js';

const GROUP = 100;
const ATTEMPTS = 3;

interface QueuedClick {
  readonly click: Click;
  readonly requestId: string;
  readonly resolve: (outcome: ClickOutcome | null) => void;
  /** Where a hook finds what the host stores in `AsyncLocalStorage` for this request; null without a hook. */
  readonly scope: AsyncResource | null;
}

/**
 * Commits clicks in groups: those that arrive while a transaction is running share the next one. A click
 * resolves after its group was committed (docs/reliability.md §3.8); null means that it was not stored.
 */
export class WriteQueue {
  readonly #queue: Gatherer<QueuedClick>;
  readonly #hooks = new Set<Promise<void>>();

  constructor(private readonly app: Deps) {
    this.#queue = new Gatherer(GROUP, (group) => this.#store(group));
  }

  get isFull(): boolean {
    return this.#queue.size >= this.app.options.tracking.waitingClicks;
  }

  push(click: Click): Promise<ClickOutcome | null> {
    if (this.isFull) return Promise.resolve(null);
    const scope = this.app.hooks.isUsed('visit_created')
      ? new AsyncResource('affiliate-service-click')
      : null;
    const { requestId } = this.app.context.current();
    return new Promise((resolve) => {
      this.#queue.push({ click, requestId, resolve, scope });
    });
  }

  /** Resolves when everything pushed so far is stored and its hooks have run. */
  async drain(): Promise<void> {
    await this.#queue.drain();
    await Promise.all(this.#hooks);
  }

  async #store(group: readonly QueuedClick[]): Promise<void> {
    try {
      const outcomes = await this.#commit(group.map(({ click }) => click));
      for (const [at, { resolve }] of group.entries()) resolve(outcomes[at] ?? null);
      this.#announce(group, outcomes);
    } catch (error) {
      await this.#failed(group, error);
    }
  }

  /**
   * Retried when another process wrote the same key at the same time: the next attempt finds its visit and
   * reuses it.
   */
  async #commit(clicks: readonly Click[]): Promise<ClickOutcome[]> {
    const isRequested = await this.app.eventLog.isRequested('visit.created');
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.app.limited('tracking', () =>
          this.app.transaction(async (trx) => {
            const outcomes = await commitClicks(this.app, trx, clicks);
            if (isRequested)
              await this.app.visits.appendCreated(
                trx,
                outcomes.flatMap(({ visit }) => visit ?? []),
              );
            return outcomes;
          }),
        );
      } catch (error) {
        if (attempt === ATTEMPTS || this.app.db.dialect.failure(error) !== 'unique') throw error;
      }
    }
  }

  /**
   * One invalid row must not affect the others: after the database refused data, each click is tried alone.
   */
  async #failed(group: readonly QueuedClick[], error: unknown): Promise<void> {
    const kind = this.app.db.dialect.failure(error);
    if (group.length > 1 && (kind === 'unique' || kind === 'check' || kind === 'foreign_key')) {
      for (const each of group) await this.#store([each]);
      return;
    }
    const requests = group.map(({ requestId }) => requestId);
    this.app.log.error('clicks could not be stored', { error, clicks: group.length, request_ids: requests });
    for (const { resolve } of group) resolve(null);
  }

  #announce(group: readonly QueuedClick[], outcomes: readonly ClickOutcome[]): void {
    for (const [at, { scope }] of group.entries()) {
      const visit = outcomes[at]?.visit;
      if (visit) scope?.runInAsyncScope(() => this.#later(this.app.hooks.doAction('visit_created', visit)));
    }
  }

  #later(hook: Promise<void>): void {
    const done = hook
      .catch((error: unknown) => {
        this.app.log.error('visit_created failed', { error });
      })
      .finally(() => {
        this.#hooks.delete(done);
      });
    this.#hooks.add(done);
  }
}
