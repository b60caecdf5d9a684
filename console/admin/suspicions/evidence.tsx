import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useBoot } from '../../shared/boot.js';
import { useRead, type AnswerOf } from '../../shared/data.js';
import { When } from '../../shared/dates.js';
import { money } from '../../shared/money.js';
import { Counted, StateMark } from '../../shared/money-states.js';
import { Loaded, AppLink, Facts, Status, type Fact } from '../../shared/parts.js';
import { subIdFacts } from '../../shared/sub-ids.js';
import { number, percent, t } from '../../shared/texts.js';
import { hostOf, pathOf } from '../affiliates/tabs.js';
import { reasonText } from '../reasons.js';
import { AffiliateLink } from '../people.js';
import { Deeds } from './deeds.js';
import { actionText } from './rules.js';

type Suspicion = AnswerOf<'settings.fraud_event'>['event'];
type EvidenceOf = NonNullable<Suspicion['evidence']>;

/** What speaks against an order: what the rule saw then, and the order, its buyer and its click. */
export function Evidence({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const reading = useRead('settings.fraud_event', { params: { id } }, { keep: false });
  return (
    <Modal opened onClose={onClose} title={t('Suspicion')} size="lg">
      <Loaded of={reading} lines={8}>
        {({ event }) => (
          <div className="fa-stack">
            <p className="fa-verdict">
              {reasonText(event.rule)} <Status of={event.action} label={actionText(event.action)} />
            </p>
            <Part title={t('Evidence')} facts={evidenceOf(event)} />
            {event.referral_id !== null && <Order id={event.referral_id} affiliate={event.affiliate_id} />}
            <Deeds row={event} />
          </div>
        )}
      </Loaded>
    </Modal>
  );
}

const Part = ({ title, facts }: { title: string; facts: readonly (Fact | false)[] }): ReactNode => (
  <section>
    <h3 className="fa-part">{title}</h3>
    <Facts facts={facts} />
  </section>
);

function evidenceOf(event: Suspicion): readonly (Fact | false)[] {
  const seen = event.evidence ?? {};
  return [
    { label: t('Affiliate'), value: <AffiliateLink id={event.affiliate_id} /> },
    { label: t('Order'), value: `${event.provider} ${event.provider_id}` },
    { label: t('Noticed'), value: <When at={event.created_at} full /> },
    ...seenFacts(seen),
    ...limitFacts(event.rule, seen),
  ];
}

const MATCHES: Readonly<Record<NonNullable<EvidenceOf['match']>, () => string>> = {
  user: () => t('The same user of the site'),
  mail: () => t('The same e-mail address'),
  extension: () => t('An extension of the site'),
};

/** What the rule saw, as it was then. */
const seenFacts = (seen: EvidenceOf): readonly (Fact | false)[] => [
  seen.match !== undefined && { label: t('Recognised by'), value: MATCHES[seen.match]() },
  seen.site !== undefined && { label: t('Came from'), value: <bdi>{seen.site}</bdi> },
  seen.sign !== undefined && { label: t('Sign of a paid click'), value: <code>{seen.sign}</code> },
  seen.seconds !== undefined && { label: t('From click to order'), value: seconds(seen.seconds) },
  seen.sales !== undefined && {
    label: t('Given back'),
    value: t('{count} of {sales} sales ({share})', {
      count: number(seen.given_back ?? 0),
      sales: number(seen.sales),
      share: percent((seen.given_back ?? 0) / Math.max(1, seen.sales)),
    }),
  },
  seen.other_affiliate_id !== undefined && {
    label: t('Paid to the same account'),
    value: <AffiliateLink id={seen.other_affiliate_id} />,
  },
];

/** Where the rule draws its line. */
function limitFacts(rule: string, { limit }: EvidenceOf): readonly Fact[] {
  if (limit === undefined) return [];
  if (rule === 'fast_order') return [{ label: t('Suspicious below'), value: seconds(limit) }];
  if (rule === 'refund_ratio') return [{ label: t('Suspicious from'), value: percent(limit / 100) }];
  return [{ label: t('Orders allowed in a day'), value: number(limit) }];
}

const seconds = (value: number): string => t('{count} seconds', { count: number(value) });

/** The order as it is today, with the addresses of buyer and affiliate side by side. */
function Order({ id, affiliate }: { id: number; affiliate: number }): ReactNode {
  const { rights } = useBoot();
  const reading = useRead('referrals.get', { params: { id } }, { enabled: rights.referrals !== 'none' });
  const owner = useRead(
    'affiliates.get',
    { params: { id: affiliate } },
    { enabled: rights.affiliates !== 'none' },
  );
  const account = owner.data?.affiliate;
  if (rights.referrals === 'none') return null;
  return (
    <Loaded of={reading}>
      {({ referral: { customer, visit, ...referral } }) => (
        <>
          <Part
            title={t('Order')}
            facts={[
              {
                label: t('Commission'),
                value: (
                  <span className="fa-row">
                    <AppLink href={`/referrals/${id}`}>
                      <Counted of={referral} />
                    </AppLink>
                    <StateMark of={referral.state} />
                  </span>
                ),
              },
              { label: t('Order value'), value: money(referral.order_total, referral.currency) },
              { label: t('Buyer'), value: customer === null ? null : <bdi>{customer.email}</bdi> },
              {
                label: t('Affiliate'),
                value: [account?.user?.user_email, account?.payment_email]
                  .filter((each) => each)
                  .filter((each, at, all) => all.indexOf(each) === at)
                  .join(', '),
              },
            ]}
          />
          {visit !== null && (
            <Part
              title={t('Click')}
              facts={[
                { label: t('Page'), value: <bdi className="fa-wrap">{pathOf(visit.url)}</bdi> },
                { label: t('Came from'), value: hostOf(visit.referrer) },
                { label: t('Campaign'), value: visit.utm_campaign },
                ...subIdFacts(visit),
                { label: t('Clicked'), value: <When at={visit.created_at} full /> },
                { label: t('Ordered'), value: <When at={referral.created_at} full /> },
              ]}
            />
          )}
        </>
      )}
    </Loaded>
  );
}
