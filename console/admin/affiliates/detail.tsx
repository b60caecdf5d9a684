import { Anchor, Button } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useLocation, useParams } from 'wouter';
import { useOpenRecord } from '../../shared/address.js';
import { confirmFirst } from '../../shared/confirm.js';
import { useBoot, useMay } from '../../shared/boot.js';
import { ConfirmButton } from '../../shared/buttons.js';
import { Chart } from '../../shared/chart.js';
import { useRead, useWrite } from '../../shared/data.js';
import { siteDay, DateTime } from '../../shared/dates.js';
import { lazyComponent, lazyPart } from '../../shared/lazy-component.js';
import { cardText, money } from '../../shared/money.js';
import { balanceFigures, OtherBalances } from '../../shared/money-states.js';
import { ActionMenuButton } from '../../shared/lazy-menu.js';
import {
  AddressTabs,
  AppLink,
  Copyable,
  Facts,
  Figures,
  PageHead,
  Panel,
  Status,
  Waiting,
  type Fact,
} from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { t, tn } from '../../shared/texts.js';
import { nameOf } from '../people.js';
import { rateText } from '../rates.js';
import { DeletedLinks } from '../links/deleted.js';
import { Days } from './days.js';
import { AffiliateReferrals, AffiliateTransactions, AffiliateVisits } from './tabs.js';
import { loadAffiliateMessages, loadApplication, loadDeletion } from '../lazy-parts.js';
import { answerText, groupName, rateSource, type AffiliateView } from './view.js';
import { Website } from './website.js';

// Loaded when their tab is opened.
const History = lazyComponent(() => import('../history.js'), 'History');
const AffiliateBalance = lazyComponent(() => import('./balance.js'), 'AffiliateBalance');
const AffiliateCustomers = lazyComponent(() => import('./customers.js'), 'AffiliateCustomers');
const AffiliateRewards = lazyComponent(() => import('./rewards.js'), 'AffiliateRewards');
const AffiliateMessages = lazyComponent(loadAffiliateMessages, 'AffiliateMessages');
const AffiliateForm = lazyComponent(() => import('./form.js'), 'AffiliateForm');
const Application = lazyPart(loadApplication, 'Application', <Waiting lines={6} />);
const DeletionRequest = lazyPart(loadDeletion, 'DeletionRequest');
const MergeDialog = lazyPart(() => import('./merge.js'), 'MergeDialog');

export function Affiliate(): ReactNode {
  const { id } = useParams<{ id: string }>();
  return (
    <QueryView of="affiliates.get" input={{ params: { id } }} fresh lines={10} page>
      {({ affiliate }) => <Detail key={affiliate.id} affiliate={affiliate} />}
    </QueryView>
  );
}

/** A link whose parameter has no value credits nobody. */
const ShareLink = ({ url }: { url: string }): ReactNode =>
  /[?&][^=&#]+=(?:$|[&#])/.test(url) ? (
    <p className="fa-faint">{t('No link yet: links have the login, and there is no account.')}</p>
  ) : (
    <Copyable value={url} />
  );

const unsubscribed = ({ settings }: AffiliateView): Fact | false =>
  settings.disable_announcements === 'yes' && { label: t('Messages'), value: t('Unsubscribed') };

function Detail({ affiliate }: { affiliate: AffiliateView }): ReactNode {
  const may = useMay('affiliates', 'write');
  return (
    <>
      <PageHead
        back={{ href: '/affiliates', label: t('Affiliates') }}
        title={nameOf(affiliate)}
        badge={<Status of={affiliate.status} />}
        about={
          affiliate.user?.user_email ??
          (affiliate.user_id === null
            ? t('This affiliate has no account on the site.')
            : t('The user of the site was deleted.'))
        }
        actions={may && <Actions affiliate={affiliate} />}
      />
      {may && affiliate.deletion_asked_at !== null && (
        <div className="fa-first">
          <DeletionRequest affiliate={affiliate} />
        </div>
      )}
      {may && affiliate.status === 'pending' && (
        <div className="fa-first">
          <Application affiliate={affiliate} />
        </div>
      )}
      <Parts affiliate={affiliate} />
    </>
  );
}

function Parts({ affiliate }: { affiliate: AffiliateView }): ReactNode {
  const id = String(affiliate.id);
  const may = useMay('affiliates', 'write');
  const seesReferrals = useMay('referrals', 'read');
  const seesVisits = useMay('visits', 'read');
  const seesPayouts = useMay('payouts', 'read');
  const { administrator } = useBoot().rights;
  return (
    <AddressTabs
      tabs={[
        { key: 'summary', label: t('Summary'), content: () => <Summary affiliate={affiliate} /> },
        seesReferrals && {
          key: 'referrals',
          label: t('Commissions'),
          content: () => <AffiliateReferrals id={id} />,
        },
        seesVisits && { key: 'visits', label: t('Clicks'), content: () => <AffiliateVisits id={id} /> },
        seesReferrals && {
          key: 'customers',
          label: t('Customers'),
          content: () => <AffiliateCustomers id={id} />,
        },
        seesPayouts && {
          key: 'payments',
          label: t('Payments'),
          content: () => <AffiliateTransactions id={id} />,
        },
        seesPayouts && {
          key: 'balance',
          label: t('Balance'),
          content: () => <AffiliateBalance affiliate={affiliate} />,
        },
        seesReferrals && {
          key: 'rewards',
          label: t('Rates and goals'),
          content: () => <AffiliateRewards id={id} />,
        },
        { key: 'messages', label: t('Messages'), content: () => <AffiliateMessages id={id} /> },
        administrator && {
          key: 'history',
          label: t('History'),
          content: () => <History object="affiliate" id={id} />,
        },
        may && {
          key: 'settings',
          label: t('Settings'),
          content: () => <AffiliateForm affiliate={affiliate} />,
        },
      ]}
    />
  );
}

/** The customers are kept, but no affiliate earns from their next orders. */
function CustomersFreed({ id }: { id: number }): ReactNode {
  const { data } = useRead('affiliates.customers', { params: { id }, query: { per_page: 1 } });
  const count = data?.customers.total ?? 0;
  if (count === 0) return null;
  return (
    <li>{tn('the link to {count} customer, who stays', 'the link to {count} customers, who stay', count)}</li>
  );
}

function Actions({ affiliate }: { affiliate: AffiliateView }): ReactNode {
  const status = useWrite('affiliates.status', { quiet: true });
  const remove = useWrite('affiliates.delete', { quiet: true });
  const { administrator, messages } = useBoot().rights;
  const [opened, setOpened] = useOpenRecord();
  const [, go] = useLocation();
  const params = { id: affiliate.id };
  const name = nameOf(affiliate);
  const askDelete = (): void =>
    confirmFirst({
      title: t('Delete {name}?', { name }),
      danger: true,
      yes: t('Delete permanently'),
      type: name,
      text: (
        <>
          <p>{t('This removes the affiliate and with it:')}</p>
          <ul>
            <li>
              {tn(
                '{count} referral, paid ones included',
                '{count} commissions, including paid ones',
                affiliate.referrals,
              )}
            </li>
            <li>{tn('{count} click', '{count} clicks', affiliate.visits)}</li>
            <li>{t('{amount} not paid yet', { amount: money(affiliate.unpaid_earnings) })}</li>
            <DeletedLinks of={{ affiliate_id: affiliate.id }} />
            <CustomersFreed id={affiliate.id} />
          </ul>
          <p>{t('Payouts are kept as records. The user of the site is kept too.')}</p>
        </>
      ),
      run: async () => {
        await remove.run({ params });
        go('/affiliates');
      },
    });
  const askDeactivate = (): void =>
    confirmFirst({
      title: t('Deactivate {name}?', { name }),
      danger: true,
      text: t('New orders no longer count. Earned commissions can still be paid.'),
      yes: t('Deactivate'),
      run: () => status.run({ params, body: { status: 'inactive' } }),
    });
  return (
    <>
      {affiliate.status === 'inactive' && (
        <ConfirmButton
          loading={status.running}
          question={{
            title: t('Approve {name}?', { name }),
            text: t('Orders of this affiliate count from now on. The affiliate gets a mail.'),
            yes: t('Approve'),
            run: () => status.run({ params, body: { status: 'active' } }),
          }}
        >
          {t('Approve')}
        </ConfirmButton>
      )}
      <ActionMenuButton
        button={
          <Button variant="default" px={9} aria-label={t('More')}>
            <IconDots size={16} />
          </Button>
        }
        actions={[
          ...(affiliate.status === 'active' ? [{ label: t('Deactivate'), run: askDeactivate }] : []),
          ...(messages && affiliate.status === 'active'
            ? [{ label: t('Write'), run: () => go(`/messages?open=new&to=${affiliate.id}`) }]
            : []),
          ...(administrator ? [{ label: t('Merge…'), run: () => setOpened('merge'), divided: true }] : []),
          { label: t('Delete'), run: askDelete, danger: true, divided: !administrator },
        ]}
      />
      {administrator && opened === 'merge' && <MergeDialog affiliate={affiliate} />}
    </>
  );
}

function Summary({ affiliate }: { affiliate: AffiliateView }): ReactNode {
  const stats = useRead('affiliates.stats', { params: { id: affiliate.id } });
  const [days, setDays] = useState(30);
  const titles: Readonly<Record<string, string>> = {
    total_order_value: t('Order value'),
    conversion_rate: t('Conversion'),
    total_visits: t('Clicks'),
    total_referrals: t('Commissions'),
  };
  const seesMoney = useMay('payouts', 'read');
  const [balance] = affiliate.balances;
  const others = Object.entries(stats.data?.stats ?? {})
    .filter(([key]) => key in titles)
    .map(([key, card]) => ({ label: titles[key] ?? key, value: cardText(card) }));
  const figures = [...(seesMoney && balance !== undefined ? balanceFigures(balance) : []), ...others];
  return (
    <div className="fa-stack">
      <Figures
        figures={figures.length > 0 ? figures : Object.values(titles).map((label) => ({ label, value: '' }))}
        loading={stats.data === undefined}
      />
      {seesMoney && <OtherBalances balances={affiliate.balances} />}
      <Panel title={t('Clicks and commissions')} actions={<Days value={days} onChange={setDays} />}>
        <QueryView
          of="affiliates.statistics"
          input={{
            params: { id: affiliate.id },
            query: { start_date: siteDay(-days + 1), end_date: siteDay() },
          }}
        >
          {(data) => (
            <Chart
              title={t('Clicks and commissions')}
              labels={data.xAxisData}
              series={data.series.map((one) => ({
                name: one.name === 'Visits' ? t('Clicks') : t('Commissions'),
                values: one.data,
              }))}
            />
          )}
        </QueryView>
      </Panel>
      <div className="fa-split">
        <TermsAndContact affiliate={affiliate} />
        <Panel title={t('Link and coupons')}>
          <div className="fa-stack">
            <ShareLink url={affiliate.share_url} />
            {affiliate.attached_coupons.length > 0 && (
              <Facts
                facts={affiliate.attached_coupons.map((coupon) => ({
                  label: String(coupon['code']),
                  value: answerText(coupon['description']),
                }))}
              />
            )}
            <AppLink href={`/links?affiliate_id=${affiliate.id}`}>
              {t('Short links of this affiliate')}
            </AppLink>
          </div>
        </Panel>
        {affiliate.widgets.map(({ title = '', content = '', action = '' }, at) => (
          <Panel key={at} title={title}>
            <div className="fa-panel-body fa-words" dangerouslySetInnerHTML={{ __html: content }} />
            {/^(?:https?:\/\/|\/)/u.test(action) && <Anchor href={action}>{t('Open')}</Anchor>}
          </Panel>
        ))}
      </div>
    </div>
  );
}

function TermsAndContact({ affiliate }: { affiliate: AffiliateView }): ReactNode {
  // It has the answers already.
  const seesApplication = useMay('affiliates', 'write') && affiliate.status === 'pending';
  return (
    <Panel title={t('Terms and contact')}>
      <Facts
        facts={[
          {
            label: t('Rate'),
            value: (
              <>
                {rateText(affiliate.rate_details)} <span className="fa-faint">{rateSource(affiliate)}</span>
              </>
            ),
          },
          { label: t('Group'), value: groupName(affiliate) },
          { label: t('Payment email'), value: affiliate.payment_email },
          affiliate.bank_details !== '' && { label: t('Bank details'), value: affiliate.bank_details },
          unsubscribed(affiliate),
          { label: t('Joined'), value: <DateTime at={affiliate.created_at} full /> },
          !seesApplication && { label: t('Website'), value: <Website of={affiliate} /> },
          ...(seesApplication ? [] : affiliate.custom_field_details).map(({ label, value }) => ({
            label: String(label),
            value: answerText(value),
          })),
          !seesApplication && { label: t('Note'), value: affiliate.note },
        ]}
      />
    </Panel>
  );
}
