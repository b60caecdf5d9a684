import type { CommerceProvider, ProviderEvent } from '../../../adapters/commerce.js';
import { MINUTE, DAY } from '../../core/duration.js';
import type { AfterCommit, Db } from '../../platform/database/db.js';
import type { Deps } from './deps.js';
import type { ProviderRegistry } from './registry.js';

const WINDOW_MS = 2 * DAY;
const FURTHEST_MS = 30 * DAY;
const PAGES_AT_ONCE = 20;
const TRIES = 8;
const LONGEST_WAIT = 360 * MINUTE;

/** The progress of asking a shop for changes. */
interface SweepState {
  readonly next_at: number;
  /** When the last complete search began. */
  readonly done_at: number;
  /** When the current search began, and since when it asks. */
  readonly began_at: number;
  readonly since: number;
  readonly cursor: string | null;
  readonly failures: number;
}
const NOTHING: SweepState = { next_at: 0, done_at: 0, began_at: 0, since: 0, cursor: null, failures: 0 };
const OPTION_END = '_connector_sweep';
const optionOf = (provider: string): string => `_${provider}${OPTION_END}`;

interface Parts {
  readonly registry: ProviderRegistry;
  readonly isEnabled: (key: string) => Promise<boolean>;
  readonly accept: (provider: CommerceProvider, events: readonly ProviderEvent[]) => Promise<void>;
}

/**
 * Asks each shop daily what changed in the last 48 hours, or since the last complete search, to find
 * deliveries that never arrived (docs/integrations.md §11). Page by page, and the position is stored: a
 * failed search continues where it stopped, and no shop waits for another.
 */
export class ShopSweep {
  constructor(
    private readonly app: Deps,
    private readonly parts: Parts,
  ) {}

  async isDue(): Promise<boolean> {
    return (await this.#due()).length > 0;
  }

  async run(): Promise<void> {
    for (const provider of await this.#due()) await this.#look(provider);
  }

  /** Every shop is asked at the next look, for what changed since its last complete search. */
  async soon(trx: Db, afterCommit: AfterCommit): Promise<void> {
    for (const [name, stand] of await this.app.settings.readEnding<SweepState>(OPTION_END, NOTHING))
      await this.app.settings.write(trx, afterCommit, name, { ...stand, next_at: 0, failures: 0 });
  }

  async #due(): Promise<CommerceProvider[]> {
    const now = this.app.clock.now();
    const due: CommerceProvider[] = [];
    for (const provider of this.parts.registry.list()) {
      if (!provider.changedSince || (await this.#stand(provider)).next_at > now) continue;
      if (await this.parts.isEnabled(provider.key)) due.push(provider);
    }
    return due;
  }

  #stand({ key }: CommerceProvider): Promise<SweepState> {
    return this.app.settings.read<SweepState>(optionOf(key), NOTHING);
  }

  async #look(provider: CommerceProvider): Promise<void> {
    let stand = this.#begun(await this.#stand(provider));
    try {
      for (let pages = 0; pages < PAGES_AT_ONCE; pages++) {
        const next = await this.#page(provider, stand);
        stand =
          next === null
            ? { ...NOTHING, done_at: stand.began_at, next_at: stand.began_at + DAY }
            : { ...stand, cursor: next, failures: 0, next_at: 0 };
        await this.#saveCursor(provider, stand);
        if (next === null) return;
      }
    } catch (error) {
      await this.#failed(provider, stand, error);
    }
  }

  #begun(stand: SweepState): SweepState {
    if (stand.cursor !== null || stand.failures > 0) return stand;
    const now = this.app.clock.now();
    const since =
      stand.done_at === 0
        ? now - WINDOW_MS
        : Math.max(now - FURTHEST_MS, Math.min(now - WINDOW_MS, stand.done_at));
    return { ...stand, began_at: now, since };
  }

  /** The position of the next page; null after the last one. */
  async #page(provider: CommerceProvider, { since, cursor }: SweepState): Promise<string | null> {
    const {
      events,
      next = null,
      unreadable = 0,
    } = (await provider.changedSince?.(since, cursor ?? undefined)) ?? { events: [] };
    if (unreadable > 0)
      this.app.log.warn('a shop listed orders that cannot be read', {
        provider: provider.key,
        rows: unreadable,
      });
    await this.parts.accept(provider, events);
    return next;
  }

  /**
   * Tries again at the time that the shop names, else after growing delays. If the shop no longer knows the
   * position, the search begins again.
   */
  async #failed(provider: CommerceProvider, stand: SweepState, error: unknown): Promise<void> {
    const failures = stand.failures + 1;
    const wait = Math.max(Math.min(LONGEST_WAIT, MINUTE * 2 ** failures), retryAfterOf(error));
    this.app.log.warn('the changes of a shop could not be fetched', {
      provider: provider.key,
      failures,
      error,
    });
    const again = { ...stand, failures, next_at: this.app.clock.now() + wait };
    await this.#saveCursor(provider, failures < TRIES ? again : { ...again, cursor: null, failures: 0 });
  }

  async #saveCursor(provider: CommerceProvider, stand: SweepState): Promise<void> {
    await this.app.transaction((trx, afterCommit) =>
      this.app.settings.write(trx, afterCommit, optionOf(provider.key), stand),
    );
  }
}

/** `retryAfterMs` of an error; 0 without one, at most a day. */
export function retryAfterOf(error: unknown): number {
  const wait =
    typeof error === 'object' && error !== null && 'retryAfterMs' in error ? error.retryAfterMs : null;
  return typeof wait === 'number' && Number.isFinite(wait) ? Math.min(DAY, Math.max(0, wait)) : 0;
}
