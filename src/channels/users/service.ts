import { chunks } from '../../core/chunks.js';
import type { IncomingMessage } from 'node:http';
import { HOUR } from '../../core/duration.js';
import type { HostUser } from '../../../adapters/host.js';
import { createPermissions } from '../../platform/access/permissions.js';
import { fail } from '../../errors.js';
import type { RequestInfo } from '../../platform/http/request-info.js';
import { mayBeOwnPage } from '../../platform/http/same-origin.js';
import type { Deps } from './deps.js';
import { forgetMissing, integerOf, missingSince, noteMissing, usersOfAffiliates } from './repository.js';

/** How many users the host is asked for at a time. */
const PAGE = 200;
/** A user who is missing for this long, that is in two nightly checks, counts as deleted. */
const GONE_AFTER = 20 * HOUR;
/** If a host suddenly misses more users than this, it is probably broken. */
const BELIEVABLE = { share: 0.25, users: 10 };

/** The accounts of the host, as far as the program needs them. */
export class UsersService {
  /** `textIds`: the ids of the host are text, and the library stores an integer for each. */
  constructor(
    private readonly app: Deps,
    private readonly textIds: boolean,
    /** Returns the number of a text id, and makes one if it has none. */
    private readonly numberOf: (hostId: string) => Promise<number>,
  ) {}

  /** The signed-in user; null for a visitor. */
  current(req: IncomingMessage): Promise<HostUser | null> {
    return this.app.host.currentUser(req);
  }

  /**
   * The id that the program uses for a user of the host; null when it has never met the user. Integer ids are
   * used as they are.
   */
  async idOf(hostId: string | number): Promise<number | null> {
    if (this.textIds) return integerOf(this.app.db, String(hostId));
    const id = Number(hostId);
    return Number.isSafeInteger(id) && id > 0 ? id : null;
  }

  /**
   * The same for a user whom the program may not have met yet: the user is looked up in the host and then known.
   * Null when the host has no such user.
   */
  async meet(hostId: string | number): Promise<number | null> {
    const id = (await this.idOf(hostId)) ?? (this.textIds ? await this.numberOf(String(hostId)) : null);
    return id !== null && (await this.app.users([id])).has(id) ? id : null;
  }

  /** The nonce for the sign-in of a request; null for a visitor. */
  async nonce(req: IncomingMessage): Promise<string | null> {
    const user = await this.app.host.currentUser(req);
    return user && this.app.host.nonces.create(user, req);
  }

  /**
   * The same for a request to the interface, from a page of the site: 403 for other sites, 401 for visitors.
   */
  async nonceFor(request: RequestInfo): Promise<string> {
    if (!mayBeOwnPage(this.app, request)) fail('rest_forbidden');
    return (await this.nonce(request.raw)) ?? fail('rest_forbidden', { status: 401 });
  }

  /**
   * Reports that the host has deleted this account (given by the host's id). The affiliate becomes inactive
   * and loses its user and all personal data: payment details, answers, note, link name. Rights in the
   * program and API keys are removed. Commissions, payouts and the ledger are not deleted. False when the
   * program did not know the user. May be called again at any time.
   */
  async deleted(hostId: string | number): Promise<boolean> {
    const id = await this.idOf(hostId);
    return id !== null && this.forget(id);
  }

  /** The nightly check for users the host no longer has; returns how many were found. */
  async lookForDeleted(): Promise<number> {
    const { asked, missing } = await this.#missing();
    if (missing.size > BELIEVABLE.users && missing.size > asked * BELIEVABLE.share) {
      this.app.log.error(
        'the host returned too few of its users, so no user was treated as deleted; ' +
          'call service.users.deleted(id) for each deleted user',
        { asked, missing: missing.size },
      );
      return 0;
    }
    const now = this.app.clock.now();
    await this.app.transaction((trx) => noteMissing(trx, missing, now));
    const gone = await missingSince(this.app.db, now - GONE_AFTER);
    for (const id of gone) await this.forget(id);
    return gone.length;
  }

  async #missing(): Promise<{ asked: number; missing: ReadonlySet<number> }> {
    const missing = new Set<number>();
    let asked = 0;
    const ask = async (ids: readonly number[]): Promise<void> => {
      const known = await this.app.users(ids);
      asked += ids.length;
      for (const id of ids) if (!known.has(id)) missing.add(id);
    };
    for (let after = 0; ;) {
      const page = await usersOfAffiliates(this.app.db, after, PAGE);
      if (page.length === 0) break;
      await ask(page.map(({ userId }) => userId));
      after = page.at(-1)?.id ?? after;
    }
    const managers = [...(await createPermissions(this.app).all()).keys()];
    const owners = (await this.app.apiKeys.list()).flatMap(({ user_id: owner, created_by: maker }) =>
      maker === null ? [owner] : [owner, maker],
    );
    const others = [...new Set([...managers, ...owners])];
    for (const chunk of chunks(others, PAGE)) await ask(chunk);
    return { asked, missing };
  }

  /**
   * Erases the personal data of an affiliate, but not account and rights of the user. Without a user there is
   * nothing to erase.
   */
  async eraseAffiliate(id: number): Promise<void> {
    const affiliate = await this.app.affiliates.get(id);
    await this.app.affiliates.forbidSelf(affiliate);
    const { user_id: userId } = affiliate;
    if (userId === null) return;
    const user = (await this.app.users([userId])).get(userId) ?? null;
    await this.app.affiliates.changes.forgetUser(userId, user);
  }

  /** The same, given by the service's own number of the user. */
  async forget(userId: number): Promise<boolean> {
    const user = (await this.app.users([userId])).get(userId) ?? null;
    return this.app.transaction(async (trx) => {
      const affiliate = await this.app.affiliates.changes.forgetUser(userId, user);
      const hadRights = await createPermissions(this.app).removePermissions(userId);
      const others = [
        await this.app.apiKeys.removeOfUser(trx, userId),
        await this.app.customers.forgetUser(trx, userId),
        await this.app.visits.forgetUser(trx, userId),
      ];
      await forgetMissing(trx, userId);
      const known = affiliate !== null || hadRights || others.some((count) => count > 0);
      if (known)
        await this.app.audit.write(trx, 'user.deleted', ['user', userId], {
          after: { affiliate_id: affiliate?.id ?? null },
        });
      return known;
    });
  }
}
