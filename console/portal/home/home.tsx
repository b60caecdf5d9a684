import { Button, SegmentedControl } from '@mantine/core';
import { IconQrcode } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useAddress } from '../../shared/address.js';
import { useBoot } from '../../shared/boot.js';
import { useRead, type ResponseOf } from '../../shared/data.js';
import { dayText, DateTime } from '../../shared/dates.js';
import { choicesIn } from '../../shared/filters.js';
import { lazyPart } from '../../shared/lazy-component.js';
import { Money, money } from '../../shared/money.js';
import { MONEY_STATES, OtherBalances, stateText } from '../../shared/money-states.js';
import { Loaded, AppLink, Copy, Empty, Figures, PageHead, Panel, Waiting } from '../../shared/parts.js';
import { number, percent, t, tn } from '../../shared/texts.js';
import { Deal } from '../deal/deal.js';
import { useHasQr } from '../links/qr.js';
import { Share } from '../links/share.js';
import { entryText } from '../../shared/entry-words.js';

// Loaded on first use.
const QrDialog = lazyPart(() => import('../links/qr-dialog.js'), 'QrDialog');
const Chart = lazyPart(() => import('../../shared/chart.js'), 'Chart', <Waiting lines={6} />);

type Overview = ResponseOf<'portal.overview'>;

export function Home(): ReactNode {
  const { user } = useBoot();
  const address = useAddress();
  const days = address.get('days', '30');
  const reading = useRead('portal.overview', { query: { days } });
  return (
    <>
      <PageHead
        name={t('Home')}
        title={t('Hello, {name}', { name: user?.name.split(' ')[0] ?? '' })}
        actions={
          <SegmentedControl
            aria-label={t('Period')}
            value={days}
            onChange={(value) => address.set({ days: value === '30' ? null : value }, { replace: true })}
            data={choicesIn({ '7': t('7 days'), '30': t('30 days'), '90': t('90 days'), '365': t('1 year') })}
          />
        }
      />
      <Loaded of={reading} lines={10}>
        {(overview) => <Content overview={overview} stale={reading.isPlaceholderData} />}
      </Loaded>
    </>
  );
}

function Content({ overview, stale }: { overview: Overview; stale: boolean }): ReactNode {
  const { figures, chart, notice_html: notice, link } = overview;
  return (
    <div className={stale ? 'fa-stack fa-stale' : 'fa-stack'}>
      {notice !== '' && (
        // Sanitized by the service.
        <div className="fa-notice fa-words" role="note" dangerouslySetInnerHTML={{ __html: notice }} />
      )}
      <Announcements />
      <YourLink link={link} />
      <Figures
        figures={[
          {
            label: t('Earnings'),
            value: money(figures.now.earnings),
            change: changeOf(figures.now.earnings, figures.before.earnings),
            note: t('before: {value}', { value: money(figures.before.earnings) }),
            href: '/earnings',
          },
          {
            label: t('Orders'),
            value: number(figures.now.orders),
            change: changeOf(figures.now.orders, figures.before.orders),
            note: t('before: {value}', { value: number(figures.before.orders) }),
            href: '/earnings',
          },
          {
            label: t('Clicks'),
            value: number(figures.now.clicks),
            change: changeOf(figures.now.clicks, figures.before.clicks),
            note: t('before: {value}', { value: number(figures.before.clicks) }),
            href: '/clicks',
          },
          {
            label: t('Orders per click'),
            value: rateText(figures.now),
            note: t('before: {value}', { value: rateText(figures.before) }),
          },
        ]}
      />
      <div className="fa-split-wide">
        <div className="fa-stack">
          <Panel title={t('Earnings')} about={t('Dashed: previous period.')}>
            <Chart
              title={t('Earnings')}
              labels={chart.labels.map((label) => dayText(label, true))}
              series={[
                { name: t('Earnings'), values: chart.earnings, before: chart.earnings_before, money: true },
              ]}
            />
          </Panel>
          <Deal />
        </div>
        <NextPayment outlook={overview.outlook} />
      </div>
      <Panel
        title={t('What happened')}
        flush
        actions={
          <Button component={Link} href="/earnings?tab=statement" variant="subtle" size="compact-sm">
            {t('Full statement')}
          </Button>
        }
      >
        <Events events={overview.events} />
      </Panel>
    </div>
  );
}

/** Announcements of the program. */
function Announcements(): ReactNode {
  const { data } = useRead('portal.announcements');
  return data?.announcements.map(({ id, subject, html, created_at: at }) => (
    <section key={id} className="fa-panel" aria-labelledby={`fa-news-${id}`}>
      <div className="fa-panel-head">
        <h2 id={`fa-news-${id}`}>{subject}</h2>
        <span className="fa-faint">
          <DateTime at={at} />
        </span>
      </div>
      <div className="fa-panel-body">
        {/* Sanitized by the service. */}
        <div className="fa-words" dangerouslySetInnerHTML={{ __html: html }} />
      </div>
    </section>
  ));
}

const changeOf = (now: number, before: number): number | null =>
  before === 0 ? (now === 0 ? 0 : null) : (now - before) / before;
const rateText = ({ clicks, orders }: { clicks: number; orders: number }): string =>
  clicks === 0 ? '—' : percent(orders / clicks);

function YourLink({ link }: { link: string }): ReactNode {
  const [code, setCode] = useState(false);
  const hasQr = useHasQr();
  return (
    <section className="fa-panel fa-yours" aria-labelledby="fa-your-link">
      <div className="fa-yours-text">
        <h2 id="fa-your-link">{t('Your link')}</h2>
        <p className="fa-about">{t('You earn on every order that comes through it.')}</p>
      </div>
      <div className="fa-yours-link">
        <code className="fa-yours-address" dir="ltr">
          {link.replace(/^https?:\/\//, '')}
        </code>
        <Copy value={link} label={t('Copy link')} />
      </div>
      <div className="fa-row">
        {hasQr && (
          <Button variant="default" leftSection={<IconQrcode size={16} />} onClick={() => setCode(true)}>
            {t('QR code')}
          </Button>
        )}
        <Share />
        <Button component={Link} href="/links" variant="subtle">
          {t('More links')}
        </Button>
      </div>
      {code && <QrDialog onClose={() => setCode(false)} link={link} />}
    </section>
  );
}

/** Ready to pay, on hold and until when, and progress towards the next payment. */
function NextPayment({ outlook }: { outlook: Overview['outlook'] }): ReactNode {
  const { ready, minimum, releases, balances } = outlook;
  const [balance] = balances;
  const share = minimum > 0 ? Math.min(1, Math.max(0, ready / minimum)) : 1;
  return (
    <Panel title={t('Next payment')}>
      <div className="fa-due">
        <div>
          <div className="fa-due-sum">{money(ready)}</div>
          <p className="fa-about">
            {stateText('payable')}
            {' · '}
            {outlook.reaches_minimum
              ? t('ready for the next payment')
              : minimum > 0
                ? t('ready; payments start at {minimum}', { minimum: money(minimum) })
                : t('nothing is ready yet')}
          </p>
        </div>
        {minimum > 0 && (
          <div
            className="fa-meter"
            role="progressbar"
            aria-label={t('Progress to the minimum payout')}
            aria-valuenow={Math.round(share * 100)}
            aria-valuemin={0}
            aria-valuemax={100}
          >
            <span style={{ width: `${share * 100}%` }} />
          </div>
        )}
        <dl className="fa-due-lines">
          {balance !== undefined &&
            MONEY_STATES.filter((state) => state !== 'payable' && balance[state] !== 0).map((state) => (
              <div key={state}>
                <dt>{stateText(state)}</dt>
                <dd>
                  <Money amount={balance[state]} />
                </dd>
              </div>
            ))}
        </dl>
        <OtherBalances balances={balances} />
        {releases.length > 0 && (
          <>
            <h3>{t('Released next')}</h3>
            <ul className="fa-releases">
              {releases.slice(0, 4).map(({ day, amount, count }) => (
                <li key={day}>
                  <span>{dayText(day)}</span>
                  <span className="fa-faint">{tn('{count} commission', '{count} commissions', count)}</span>
                  <Money amount={amount} />
                </li>
              ))}
            </ul>
            {releases.length > 4 && (
              <AppLink href="/earnings?state=waiting">
                {tn('and {count} more day', 'and {count} more days', releases.length - 4)}
              </AppLink>
            )}
          </>
        )}
      </div>
    </Panel>
  );
}

function Events({ events }: { events: Overview['events'] }): ReactNode {
  if (events.length === 0)
    return (
      <Empty
        title={t('Nothing yet')}
        text={t('Share your link. The first order that comes through it appears here.')}
      />
    );
  return (
    <ul className="fa-events">
      {events.map((event) => (
        <li key={event.id}>
          <span className={`fa-event-mark ${event.amount < 0 ? 'fa-gray' : 'fa-green'}`} aria-hidden="true">
            {event.amount < 0 ? '−' : '+'}
          </span>
          <span className="fa-event-text">
            <span className="fa-strong">{entryText(event)}</span>
            <span className="fa-faint fa-clip">
              {event.payment_id !== null && event.kind === 'paid' && !event.payment_undone ? (
                <AppLink href={`/payments/${event.payment_id}`}>{event.description}</AppLink>
              ) : (
                event.description
              )}
            </span>
          </span>
          <span className="fa-faint fa-event-when">
            <DateTime at={event.created_at as string} />
          </span>
          <Money amount={event.amount} />
        </li>
      ))}
    </ul>
  );
}
