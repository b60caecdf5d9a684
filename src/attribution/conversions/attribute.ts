import type { Deps } from './deps.js';
import { AffiliateFinder, type Credit } from './affiliate-finder.js';
import type { CheckedOrder } from './check.js';
import type { RenewalTerms } from './commission.js';
import { Renewals } from './renewals.js';
import { skip, type Conversion, type Skip } from './types.js';

export interface CreditedOrder extends CheckedOrder {
  readonly credit: Credit;
  readonly renewal?: RenewalTerms | undefined;
  /** Its first payment was rejected; it earns when that is approved after all. */
  readonly isParentRejected?: boolean | undefined;
}

/** Finds the affiliate of the order; of a renewal, the affiliate of its first payment. */
export async function attribute(app: Deps, checked: CheckedOrder): Promise<CreditedOrder | Skip> {
  const { shop, req, click = null } = checked.report;
  const conversion = shop ? checked.conversion : await ofSubscription(app, checked.conversion);
  const found =
    conversion.subscription?.phase === 'renewal'
      ? await new Renewals(app).find(conversion)
      : await new AffiliateFinder(app).find(conversion, req);
  const affiliateId = found.kind === 'skip' ? found.affiliateId : found.credit.affiliate.id;
  // An upgrade earns nothing. This reason comes before all others.
  if (conversion.upgrade && affiliateId !== null) return skip('upgrade_order', affiliateId);
  if (found.kind === 'skip') return found;
  const { credit, renewal, isParentRejected } = found;
  return {
    ...checked,
    conversion,
    credit: { ...credit, click: credit.click ?? click },
    renewal,
    isParentRejected,
  };
}

/** Every later payment of a known subscription is a renewal, also when its source uses another word. */
async function ofSubscription(app: Deps, conversion: Conversion): Promise<Conversion> {
  const { provider, reference, subscription } = conversion;
  if (subscription?.phase !== 'first') return conversion;
  const first = await app.referrals.firstOfSubscription(provider, subscription.id);
  return first === null || first.provider_id === reference
    ? conversion
    : { ...conversion, subscription: { ...subscription, phase: 'renewal' } };
}
