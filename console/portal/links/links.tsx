import { SegmentedControl } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../shared/address.js';
import { useRead } from '../../shared/data.js';
import { Money } from '../../shared/money.js';
import { Loaded, Copyable, Empty, PageHead, Panel } from '../../shared/parts.js';
import { SUB_IDS, subIdName } from '../../shared/sub-ids.js';
import { number, percent, t } from '../../shared/texts.js';
import { pathOf } from '../clicks/path.js';
import { Builder } from './builder.js';
import { ShortLinks } from './short-links.js';

export const Links = (): ReactNode => (
  <>
    <PageHead
      title={t('Links')}
      about={t('Any page of the site becomes a link of yours. Name campaigns to see what works.')}
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

/** Links with the login credit another affiliate, who had it before. */
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

/** Codes that credit the affiliate without a click. */
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

/** Sites beside this one whose orders count too. */
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
  const reading = useRead('portal.performance', { query: { by, days } });
  const without = subId === undefined ? t('without a campaign') : t('No sub ID');
  return (
    <Panel
      title={t('What your links bring')}
      flush
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label={t('By')}
            value={subId === undefined ? by : 'sub1'}
            onChange={(value) => address.set({ by: value === 'campaign' ? null : value }, { replace: true })}
            data={[
              { value: 'campaign', label: t('Campaigns') },
              { value: 'page', label: t('Pages') },
              { value: 'sub1', label: t('Sub IDs') },
            ]}
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
            data={[
              { value: '30', label: t('30 days') },
              { value: '90', label: t('90 days') },
              { value: '365', label: t('1 year') },
            ]}
          />
        </>
      }
    >
      <Loaded of={reading}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty
              title={t('No clicks in this time')}
              text={t('Put a campaign into your links and see here which of them people follow.')}
            />
          ) : (
            <div className="fa-list">
              <div className="fa-table-frame fa-bare">
                <table className="fa-table">
                  <thead>
                    <tr>
                      <th scope="col">
                        {subId === undefined
                          ? by === 'campaign'
                            ? t('Campaign')
                            : t('Page')
                          : subIdName(subId)}
                      </th>
                      <th scope="col" className="fa-end">
                        {t('Clicks')}
                      </th>
                      <th scope="col" className="fa-end">
                        {t('Orders')}
                      </th>
                      <th scope="col" className="fa-end">
                        {t('Orders per click')}
                      </th>
                      <th scope="col" className="fa-end">
                        {t('Earnings')}
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map(({ name, clicks, orders, earnings }) => (
                      <tr key={name}>
                        <td className="fa-cell-head">
                          <span className="fa-clip fa-strong" title={name}>
                            {name === '' ? without : by === 'page' ? pathOf(name) : name}
                          </span>
                        </td>
                        <td className="fa-end fa-number" data-label={t('Clicks')}>
                          {number(clicks)}
                        </td>
                        <td className="fa-end fa-number" data-label={t('Orders')}>
                          {number(orders)}
                        </td>
                        <td className="fa-end fa-number" data-label={t('Orders per click')}>
                          {clicks === 0 ? '—' : percent(orders / clicks)}
                        </td>
                        <td className="fa-end" data-label={t('Earnings')}>
                          <Money amount={earnings} />
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}
