import type { Db } from '../../platform/database/db.js';
import { fail } from '../../errors.js';
import type { LongWork } from '../../program/long-work/contributions.js';
import type { Work } from '../../program/long-work/types.js';
import type { Deps } from './deps.js';
import * as store from './repository.js';
import type { BeginFollowers, LedgerCause } from './settle.js';

const SIZE = 50;

interface Following extends Record<string, unknown> {
  /** The last follower that was settled. */
  readonly after_id: number;
  readonly affiliate_id: number | null;
  readonly kind: LedgerCause['kind'];
}

/** Settles the many orders that follow one, after its reasons or its rejection have changed. */
export class Followers {
  constructor(
    private readonly app: Deps,
    private readonly settle: (ids: readonly number[], cause: LedgerCause) => Promise<unknown>,
  ) {}

  /** Begins it in the transaction of the change, or begins it again. The caller holds the affiliate's lock. */
  begin: BeginFollowers = async ({ trx, afterCommit }, order, { after, kind }) => {
    const details: Following = { after_id: after, affiliate_id: order.affiliate_id, kind };
    const total = await store.countFollowers(trx, order.id, after);
    await this.app.works.restart(trx, { kind: 'followers', object_id: order.id, done: 0, total, details });
    afterCommit(() => this.app.works.start('followers', order.id));
  };

  /** First orders whose followers are being settled, and their affiliates. */
  async underway(): Promise<readonly { readonly order_id: number; readonly affiliate_id: number | null }[]> {
    const works = await this.app.works.list(['followers']);
    return works.map(({ object_id, details }) => ({
      order_id: object_id,
      affiliate_id: (details as Following).affiliate_id, // as `begin` stored it
    }));
  }

  get work(): LongWork {
    return {
      kind: 'followers',
      lease: (orderId) => `orders.followers:${orderId}`,
      size: SIZE,
      step: ({ work, size, commit }) =>
        commit(async (trx) => {
          const { kind, ...now } = await this.#locked(trx, work);
          const ids = await store.followersOf(trx, work.object_id, { after: now.after_id, limit: size });
          if (ids.length > 0) await this.settle(ids, { kind, reason: 'first order' });
          const details: Following = { ...now, kind, after_id: ids.at(-1) ?? now.after_id };
          return { done: ids.length, details, hasEnded: ids.length === 0 };
        }),
    };
  }

  /** Where it is now: a change of the first order, which holds the same lock, may have begun it again. */
  async #locked(trx: Db, { object_id: id, details }: Work): Promise<Following> {
    await this.app.ledger.lock(trx, (details as Following).affiliate_id);
    const work = (await this.app.works.find('followers', id)) ?? fail('busy', { retryAfter: 1 });
    return work.details as Following;
  }
}
