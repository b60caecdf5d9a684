import type { HostUser } from '../../../adapters/host.js';
import { mailbox } from '../../core/mailbox.js';
import type { Deps } from './deps.js';
import { isBelow } from './clicks.js';
import { FREE_MAIL } from './mail-domains.js';
import type { AffiliateMarks } from './marks.js';
import type { FraudAction, FraudEvidence, FraudHit, FraudRule, Suspect } from './types.js';

type Rule = readonly [FraudRule, FraudAction | 'off', () => boolean | Promise<boolean>];

/**
 * Is the buyer the affiliate, or a person close to the affiliate? The setting `self_referral_disabled` = no
 * switches it off (docs/tracking.md §6).
 */
export class SelfReferral {
  constructor(
    private readonly app: Deps,
    private readonly marks: AffiliateMarks,
  ) {}

  async check(suspect: Suspect): Promise<readonly FraudHit[]> {
    if ((await this.app.settings.referralConfig()).self_referral_disabled === 'no') return [];
    const { selfReferral: action, ...fraud } = (await this.app.settings.rules()).fraud;
    const { affiliate, buyer, address } = suspect;
    const account =
      affiliate.user_id === null
        ? undefined
        : (await this.app.users([affiliate.user_id])).get(affiliate.user_id);
    const match = await this.#ownMatch(suspect, account);
    if (match !== null) {
      await this.#learn(suspect);
      return [{ rule: 'self_referral', action, evidence: { match } }];
    }
    if (suspect.isRenewal) return [];
    const rules: readonly Rule[] = [
      ['same_domain', fraud.sameDomain, () => sameDomain(suspect, account, fraud.freeMailDomains)],
      ['same_address', fraud.sameAddress, () => this.marks.has(affiliate.id, 'address', address)],
      [
        'same_payment',
        fraud.samePayment,
        () => this.marks.has(affiliate.id, 'payment', buyer.payment_fingerprint),
      ],
    ];
    const hits: FraudHit[] = [];
    for (const [rule, wanted, matches] of rules)
      if (wanted !== 'off' && (await matches())) hits.push({ rule, action: wanted, evidence: {} });
    return hits;
  }

  /** The same host user, or a mailbox that is the affiliate's payment or account address. */
  async #ownMatch(
    { affiliate, buyer, signedIn }: Suspect,
    account: HostUser | undefined,
  ): Promise<FraudEvidence['match'] | null> {
    const box = mailbox(buyer.email);
    const sameUser = affiliate.user_id !== null && [buyer.user_id, signedIn].includes(affiliate.user_id);
    const sameMail =
      box !== null && [affiliate.payment_email, account?.email].some((address) => mailbox(address) === box);
    const customer = { email: buyer.email, user_id: buyer.user_id };
    const parties = { affiliate, customer };
    if (!(await this.app.hooks.applyFilters('is_self_referral', sameUser || sameMail, parties))) return null;
    if (sameUser) return 'user';
    return sameMail ? 'mail' : 'extension';
  }

  /**
   * An own purchase shows address and means of payment of the affiliate; they are stored, as the next one may
   * come under another name.
   */
  async #learn({ affiliate, buyer, address }: Suspect): Promise<void> {
    await this.marks.saw(affiliate.id, 'address', address);
    await this.marks.saw(affiliate.id, 'payment', buyer.payment_fingerprint);
  }
}

const domainOf = (email: string | null | undefined): string | null =>
  mailbox(email)?.split('@').at(-1) ?? null;

/** Do buyer and affiliate share a mail domain that is not a public provider's? */
function sameDomain(
  { affiliate, buyer }: Suspect,
  account: HostUser | undefined,
  free: readonly string[],
): boolean {
  const domain = domainOf(buyer.email);
  if (domain === null || [...FREE_MAIL, ...free].some((known) => isBelow(domain, known))) return false;
  return [affiliate.payment_email, account?.email].some((address) => domainOf(address) === domain);
}
