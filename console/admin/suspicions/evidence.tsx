import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useBoot } from '../../shared/boot.js';
import { useRead, type ResponseOf } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { money } from '../../shared/money.js';
import { CommissionAmount, StateMark } from '../../shared/money-states.js';
import { Loaded, AppLink, Facts, Status, type Fact } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { subIdFacts } from '../../shared/sub-ids.js';
import { number, percent, t } from '../../shared/texts.js';
import { hostOf, pathOf } from '../affiliates/tabs.js';
import { reasonText } from '../reasons.js';
import { AffiliateLink } from '../people.js';
import { SuspicionActions } from './actions.js';
import { actionText } from './rules.js';

type Suspicion = ResponseOf<'settings.fraud_event'>['event'];
type EvidenceOf = NonNullable<Suspicion['evidence']>;

/** The evidence of a suspicion: the values of the rule, the order, its customer and its click. */
export const Evidence = ({ id, onClose }: { id: string; onClose: () => void }): ReactNode => (
  <Modal opened onClose={onClose} title={t('Suspicion')} size="lg">
    <QueryView of="settings.fraud_event" input={{ params: { id } }} fresh lines={8}>
      {({ event }) => (
        <div className="fa-stack">
          <p className="fa-verdict">
            {reasonText(event.rule)} <Status of={event.action} label={actionText(event.action)} />
          </p>
          <Part title={t('Evidence')} facts={evidenceOf(event)} />
          {event.referral_id !== null && <Order id={event.referral_id} affiliate={event.affiliate_id} />}
          <SuspicionActions row={event} />
        </div>
      )}
    </QueryView>
  </Modal>
);

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
    { label: t('Detected'), value: <DateTime at={event.created_at} full /> },
    ...seenFacts(seen),
    ...limitFacts(event.rule, seen),
  ];
}

const MATCHES: Readonly<Record<NonNullable<EvidenceOf['match']>, () => string>> = {
  user: () => t('The same user of the site'),
  mail: () => t('The same email address'),
  extension: () => t('An extension of the site'),
};

/** The values of the rule at that time. */
const seenFacts = (seen: EvidenceOf): readonly (Fact | false)[] => [
  seen.match !== undefined && { label: t('Recognized by'), value: MATCHES[seen.match]() },
  seen.site !== undefined && { label: t('Came from'), value: <bdi>{seen.site}</bdi> },
  seen.sign !== undefined && { label: t('Sign of a paid ad click'), value: <code>{seen.sign}</code> },
  seen.seconds !== undefined && { label: t('Time from click to order'), value: seconds(seen.seconds) },
  seen.sales !== undefined && {
    label: t('Returned'),
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

/** The threshold of the rule. */
function limitFacts(rule: string, { limit }: EvidenceOf): readonly Fact[] {
  if (limit === undefined) return [];
  if (rule === 'fast_order') return [{ label: t('Suspicious below'), value: seconds(limit) }];
  if (rule === 'refund_ratio') return [{ label: t('Suspicious from'), value: percent(limit / 100) }];
  return [{ label: t('Orders allowed in a day'), value: number(limit) }];
}

const seconds = (value: number): string => t('{count} seconds', { count: number(value) });

/** The order today, with the e-mail addresses of customer and affiliate. */
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
                      <CommissionAmount of={referral} />
                    </AppLink>
                    <StateMark of={referral.state} />
                  </span>
                ),
              },
              { label: t('Order value'), value: money(referral.order_total, referral.currency) },
              { label: t('Customer'), value: customer === null ? null : <bdi>{customer.email}</bdi> },
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
                { label: t('Clicked'), value: <DateTime at={visit.created_at} full /> },
                { label: t('Ordered'), value: <DateTime at={referral.created_at} full /> },
              ]}
            />
          )}
        </>
      )}
    </Loaded>
  );
}
