import type { Db } from '../../platform/database/db.js';
import { fail } from '../../errors.js';
import type { OperationRunner } from '../../program/operations/contributions.js';
import type { Operation } from '../../program/operations/types.js';
import type { Deps } from './deps.js';
import * as store from './repository.js';
import type { BeginFollowers, LedgerCause } from './settle.js';

const SIZE = 50;

interface FollowersProgress extends Record<string, unknown> {
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
    const details: FollowersProgress = { after_id: after, affiliate_id: order.affiliate_id, kind };
    const total = await store.countFollowers(trx, order.id, after);
    await this.app.operations.restart(trx, {
      kind: 'followers',
      object_id: order.id,
      done: 0,
      total,
      details,
    });
    afterCommit(() => this.app.operations.start('followers', order.id));
  };

  /** First orders whose followers are being settled, and their affiliates. */
  async underway(): Promise<readonly { readonly order_id: number; readonly affiliate_id: number | null }[]> {
    const operations = await this.app.operations.list(['followers']);
    return operations.map(({ object_id, details }) => ({
      order_id: object_id,
      affiliate_id: (details as FollowersProgress).affiliate_id, // as `begin` stored it
    }));
  }

  get work(): OperationRunner {
    return {
      kind: 'followers',
      lease: (orderId) => `orders.followers:${orderId}`,
      size: SIZE,
      step: ({ work, size, commit }) =>
        commit(async (trx) => {
          const { kind, ...now } = await this.#locked(trx, work);
          const ids = await store.followersOf(trx, work.object_id, { after: now.after_id, limit: size });
          if (ids.length > 0) await this.settle(ids, { kind, reason: 'first order' });
          const details: FollowersProgress = { ...now, kind, after_id: ids.at(-1) ?? now.after_id };
          return { done: ids.length, details, hasEnded: ids.length === 0 };
        }),
    };
  }

  /** Where it is now: a change of the first order, which holds the same lock, may have begun it again. */
  async #locked(trx: Db, { object_id: id, details }: Operation): Promise<FollowersProgress> {
    await this.app.ledger.lock(trx, (details as FollowersProgress).affiliate_id);
    const work = (await this.app.operations.find('followers', id)) ?? fail('busy', { retryAfter: 1 });
    return work.details as FollowersProgress;
  }
}
