import type { NestedAffiliateDto } from '../../program/api-schemas.js';
import type { EventData } from '../../program/event-log/types.js';
import type { Deps } from './deps.js';
import type { OutgoingEvent } from './types.js';

/** The kinds of records that responses show with their affiliate. */
const WITH_AFFILIATE: ReadonlySet<string> = new Set([
  'customer',
  'referral',
  'dispute',
  'payout_transaction',
]);

/**
 * Adds what responses show beside a record: the affiliate with its name, address and link, the lines of a
 * payment, the counts of a payout, the address of an order in its shop. It is read when the event is sent and stored with no event,
 * so an erasure has nothing to look for. Without `persons`, affiliates are omitted.
 */
export async function withRelatedRecords(
  app: Deps,
  events: readonly OutgoingEvent[],
  { persons }: { readonly persons: boolean },
): Promise<OutgoingEvent[]> {
  const ids = persons ? events.map(affiliateOf) : [];
  const affiliates = await app.affiliates.embed(ids, { bankDetails: true });
  const links = await app.affiliates.shareUrls(idsOf(events, 'affiliate').filter((id) => affiliates.has(id)));
  const payments = await app.payouts.linesOf(idsOf(events, 'payout_transaction'));
  const orders = await app.referrals.providerUrls(idsOf(events, 'referral'));
  const counts = await app.payouts.countsOf(idsOf(events, 'payout'));
  const payouts = await app.payouts.embed(
    events.filter(isPayment).map(({ data }) => Number(data['payout_id'])),
  );
  return events.map((event) => {
    const affiliate = named(affiliates.get(affiliateOf(event) ?? 0) ?? null);
    const more: EventData = {
      ...(event.object_type === 'affiliate' && accountOf(affiliate, links.get(Number(event.object_id)))),
      ...(WITH_AFFILIATE.has(event.object_type) && { affiliate }),
      ...(event.object_type === 'referral' && { provider_url: orders.get(Number(event.object_id)) ?? '' }),
      ...(event.object_type === 'payout' && counts.get(Number(event.object_id))),
      ...(isPayment(event) && {
        payout: payouts.get(Number(event.data['payout_id'])) ?? null,
        ...(payments.get(Number(event.object_id)) ?? { lines: [], lines_count: 0 }),
      }),
    };
    return { ...event, data: { ...event.data, ...more } };
  });
}

const accountOf = (affiliate: NestedAffiliateDto | null, link: string | undefined): EventData => ({
  user_details: affiliate?.user_details ?? null,
  user: affiliate?.user ?? null,
  share_url: link ?? '',
});

const isPayment = ({ object_type: type }: OutgoingEvent): boolean => type === 'payout_transaction';

const idsOf = (events: readonly OutgoingEvent[], type: string): number[] =>
  events.filter(({ object_type: each }) => each === type).map(({ object_id: id }) => Number(id));

function affiliateOf({ object_type: type, object_id, data }: OutgoingEvent): number | null {
  if (type === 'affiliate') return Number(object_id);
  if (!WITH_AFFILIATE.has(type)) return null;
  return Number(data[type === 'customer' ? 'by_affiliate_id' : 'affiliate_id']) || null;
}

/** Affiliates without account are elsewhere named by the payment address, which is a payment detail. */
function named(affiliate: NestedAffiliateDto | null): NestedAffiliateDto | null {
  if (affiliate === null || affiliate.user !== null) return affiliate;
  const { affiliate_id, user_id } = affiliate.user_details;
  return {
    ...affiliate,
    user_details: { affiliate_id, user_id, full_name: `Affiliate #${affiliate.id}` },
  };
}
