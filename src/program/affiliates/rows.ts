import type { AffiliateDto, NestedAffiliateDto } from '../api-schemas.js';
import type { Group } from '../groups/types.js';
import type { AffiliateContributions } from './contributions.js';
import type { Deps } from './deps.js';
import { absentUser, affiliateName, presentNested, type PresentOptions } from './presenter.js';
import { rateDetails, resolveRate } from './rates.js';
import type { Affiliate, ResolvedRate, Visibility } from './types.js';

/** Rows of affiliates for responses: users, groups and settings are loaded once for all of them. */
export class AffiliateRows {
  constructor(
    private readonly app: Deps,
    private readonly contributions: () => AffiliateContributions,
  ) {}

  /** Affiliates inside other records. */
  async nested(
    affiliates: readonly Affiliate[],
    visibility: Visibility,
  ): Promise<ReadonlyMap<number, NestedAffiliateDto>> {
    const options = await this.#options(visibility);
    const users = await this.app.users(affiliates.map((affiliate) => affiliate.user_id));
    return new Map(
      affiliates.map((affiliate) => [
        affiliate.id,
        presentNested(affiliate, users.get(affiliate.user_id ?? 0), options),
      ]),
    );
  }

  /** With the computed fields of list and view. */
  async full(affiliates: readonly Affiliate[], visibility: Visibility): Promise<AffiliateDto[]> {
    const nested = await this.nested(affiliates, visibility);
    const groups = await this.app.groups.findMany(affiliates.map((affiliate) => affiliate.group_id));
    const groupRows = await this.app.groups.present(groups.values());
    const config = await this.app.settings.referralConfig();
    const balances = await this.contributions().balances(affiliates.map(({ id }) => id));
    return affiliates.map((affiliate) => {
      const group = groupRows.get(affiliate.group_id ?? 0) ?? null;
      const rate = resolveRate(affiliate, groups.get(affiliate.group_id ?? 0) ?? null, config);
      return {
        ...nested.get(affiliate.id)!,
        bank_details: visibility.bankDetails ? affiliate.settings.bank_details : '',
        rate_details: rateDetails(rate, config, group),
        group,
        balances: balances.get(affiliate.id) ?? [],
      };
    });
  }

  /** The rows of the affiliate list, where `user` is never null. */
  async listed(affiliates: readonly Affiliate[], visibility: Visibility): Promise<AffiliateDto[]> {
    const rows = await this.full(affiliates, visibility);
    return rows.map((row, at) => ({ ...row, user: row.user ?? absentUser(affiliates[at]!) }));
  }

  /** The display name of each. */
  async names(affiliates: readonly Affiliate[]): Promise<ReadonlyMap<number, string>> {
    const users = await this.app.users(affiliates.map((affiliate) => affiliate.user_id));
    return new Map(
      affiliates.map((affiliate) => [
        affiliate.id,
        affiliateName(affiliate, users.get(affiliate.user_id ?? 0)),
      ]),
    );
  }

  async rates(affiliates: readonly Affiliate[]): Promise<Map<number, ResolvedRate>> {
    const groups: ReadonlyMap<number, Group> = await this.app.groups.findMany(
      affiliates.map((affiliate) => affiliate.group_id),
    );
    const config = await this.app.settings.referralConfig();
    return new Map(
      affiliates.map((affiliate) => [
        affiliate.id,
        resolveRate(affiliate, groups.get(affiliate.group_id ?? 0) ?? null, config),
      ]),
    );
  }

  async #options({ bankDetails }: Visibility): Promise<PresentOptions> {
    const { currency } = await this.app.settings.referralConfig();
    const { compat } = this.app.options;
    return {
      currency,
      bankDetails,
      adminUrl: this.app.host.site().adminUrl ?? '',
      idsAsText: compat !== undefined,
    };
  }
}
