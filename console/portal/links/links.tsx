import { SegmentedControl } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../shared/address.js';
import { useRead } from '../../shared/data.js';
import { choicesIn } from '../../shared/filters.js';
import { Money } from '../../shared/money.js';
import { Copyable, PageHead, Panel } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { Sheet } from '../../shared/sheet.js';
import { SUB_IDS, subIdName } from '../../shared/sub-ids.js';
import { number, percent, t } from '../../shared/texts.js';
import { pathOf } from '../clicks/path.js';
import { Builder } from './builder.js';
import { ShortLinks } from './short-links.js';

export const Links = (): ReactNode => (
  <>
    <PageHead
      title={t('Links')}
      about={t('Create a link to any page of the site. Add campaigns to see what works.')}
    />
    <div className="fa-stack">
      <LoginTaken />
      <Builder />
      <Coupons />
      <OtherSites />
      <ShortLinks />
      <Performance />
    </div>
  </>
);

/** Warns that links with the login credit another affiliate, who had it before. */
function LoginTaken(): ReactNode {
  const { data } = useRead('portal.links', {});
  const login = data?.login_taken;
  if (!data || login === undefined) return null;
  return (
    <Panel title={t('Your login isn’t in your links')}>
      <p>
        {t(
          'Links with {login} credit another affiliate, who used this name before. Share this link instead:',
          { login },
        )}
      </p>
      <Copyable value={data.link} />
    </Panel>
  );
}

/** Coupon codes of the affiliate. */
function Coupons(): ReactNode {
  const { data } = useRead('portal.bootstrap', {});
  const codes = (data?.branded_coupons ?? []).map(({ code }) => String(code ?? '')).filter(Boolean);
  if (codes.length === 0) return null;
  return (
    <Panel title={t('Your coupons')}>
      <p className="fa-soft">{t('Orders with one of these codes count as yours, even without a click.')}</p>
      <ul className="fa-plain">
        {codes.map((code) => (
          <li key={code} className="fa-site-link">
            <Copyable value={code} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface SiteLink {
  readonly title: string;
  readonly url: string;
}

/** Connected sites. */
function OtherSites(): ReactNode {
  const { data } = useRead('portal.links', {});
  const others = ((data?.links ?? []) as readonly SiteLink[]).slice(1);
  if (others.length === 0) return null;
  return (
    <Panel title={t('Links to our other sites')}>
      <ul className="fa-plain">
        {others.map(({ title, url }) => (
          <li key={url} className="fa-site-link">
            <span className="fa-strong">{title}</span>
            <Copyable value={url} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Clicks, orders and earnings per campaign, page or sub id. */
function Performance(): ReactNode {
  const address = useAddress();
  const by = address.get('by', 'campaign');
  const days = address.get('days', '90');
  const subId = SUB_IDS.find((name) => name === by);
  const without = subId === undefined ? t('No campaign') : t('No sub ID');
  return (
    <Panel
      title={t('What your links bring')}
      flush
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label={t('Group by')}
            value={subId === undefined ? by : 'sub1'}
            onChange={(value) => address.set({ by: value === 'campaign' ? null : value }, { replace: true })}
            data={choicesIn({ campaign: t('Campaigns'), page: t('Pages'), sub1: t('Sub IDs') })}
          />
          {subId !== undefined && (
            <SegmentedControl
              size="xs"
              aria-label={t('Sub ID')}
              value={subId}
              onChange={(value) => address.set({ by: value }, { replace: true })}
              data={SUB_IDS.map((name) => ({ value: name, label: name.slice(3) }))}
            />
          )}
          <SegmentedControl
            size="xs"
            aria-label={t('Period')}
            value={days}
            onChange={(value) => address.set({ days: value === '90' ? null : value }, { replace: true })}
            data={choicesIn({ '30': t('30 days'), '90': t('90 days'), '365': t('1 year') })}
          />
        </>
      }
    >
      <QueryView of="portal.performance" input={{ query: { by, days } }}>
        {({ rows }) => (
          <Sheet
            cards
            rows={rows}
            rowKey={({ name }) => name}
            columns={[
              {
                label:
                  subId === undefined ? (by === 'campaign' ? t('Campaign') : t('Page')) : subIdName(subId),
                cell: ({ name }) => (
                  <span className="fa-clip fa-strong" title={name}>
                    {name === '' ? without : by === 'page' ? pathOf(name) : name}
                  </span>
                ),
              },
              { label: t('Clicks'), number: true, cell: ({ clicks }) => number(clicks) },
              { label: t('Orders'), number: true, cell: ({ orders }) => number(orders) },
              {
                label: t('Orders per click'),
                number: true,
                cell: ({ clicks, orders }) => (clicks === 0 ? '—' : percent(orders / clicks)),
              },
              { label: t('Earnings'), end: true, cell: ({ earnings }) => <Money amount={earnings} /> },
            ]}
            empty={{
              title: t('No clicks in this time'),
              text: t('Add campaigns to your links to compare their clicks here.'),
            }}
          />
        )}
      </QueryView>
    </Panel>
  );
}
