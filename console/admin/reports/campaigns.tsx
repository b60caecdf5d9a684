import type { ReactNode } from 'react';
import { useRead } from '../../shared/data.js';
import { money } from '../../shared/money.js';
import { Answer, Empty, Panel } from '../../shared/parts.js';
import { number, percent, t } from '../../shared/texts.js';
import { useRange } from '../overview/range.js';

/** What each campaign brought in the chosen days, the time before beside it. */
export function Campaigns(): ReactNode {
  const { range, before, picker } = useRange();
  const now = useRead('reports.campaigns', { query: { start_date: range.from, end_date: range.to } });
  const then = useRead('reports.campaigns', { query: { start_date: before.from, end_date: before.to } });
  const earlier = new Map(then.data?.campaigns.map(({ name, earnings }) => [name, earnings]));
  return (
    <div className="fa-stack">
      {picker}
      <Panel flush>
        <Answer of={now}>
          {({ campaigns, currency }) =>
            campaigns.length === 0 ? (
              <Empty title={t('No clicks in this time')} />
            ) : (
              <div className="fa-table-frame fa-keep" tabIndex={0}>
                <table className="fa-table">
                  <thead>
                    <tr>
                      <th scope="col">{t('Campaign')}</th>
                      <th scope="col" className="fa-end">
                        {t('Clicks')}
                      </th>
                      <th scope="col" className="fa-end">
                        {t('Orders')}
                      </th>
                      <th scope="col" className="fa-end">
                        {t('Conversion')}
                      </th>
                      <th scope="col" className="fa-end">
                        {t('Earned')}
                      </th>
                      <th scope="col" className="fa-end">
                        {t('Before')}
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {campaigns.map(({ name, clicks, orders, earnings }) => (
                      <tr key={name}>
                        <th scope="row">
                          {name === '' ? <span className="fa-faint">{t('No campaign')}</span> : name}
                        </th>
                        <td className="fa-end fa-number">{number(clicks)}</td>
                        <td className="fa-end fa-number">{number(orders)}</td>
                        <td className="fa-end fa-number">{percent(orders / clicks)}</td>
                        <td className="fa-end fa-number">{money(earnings, currency)}</td>
                        <td className="fa-end fa-number fa-faint">
                          {money(earlier.get(name) ?? 0, currency)}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )
          }
        </Answer>
      </Panel>
    </div>
  );
}
