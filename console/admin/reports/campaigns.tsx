import type { ReactNode } from 'react';
import { useRead } from '../../shared/data.js';
import { money } from '../../shared/money.js';
import { Answer, Empty, Panel } from '../../shared/parts.js';
import { Sheet } from '../../shared/sheet.js';
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
              <Sheet
                rows={campaigns}
                rowKey={({ name }) => name}
                columns={[
                  {
                    label: t('Campaign'),
                    cell: ({ name }) =>
                      name === '' ? <span className="fa-faint">{t('No campaign')}</span> : name,
                  },
                  { label: t('Clicks'), number: true, cell: ({ clicks }) => number(clicks) },
                  { label: t('Orders'), number: true, cell: ({ orders }) => number(orders) },
                  {
                    label: t('Conversion'),
                    number: true,
                    cell: ({ clicks, orders }) => (clicks === 0 ? '—' : percent(orders / clicks)),
                  },
                  { label: t('Earned'), number: true, cell: ({ earnings }) => money(earnings, currency) },
                  {
                    label: t('Before'),
                    number: true,
                    faint: true,
                    cell: ({ name }) => money(earlier.get(name) ?? 0, currency),
                  },
                ]}
              />
            )
          }
        </Answer>
      </Panel>
    </div>
  );
}
