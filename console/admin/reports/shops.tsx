import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../shared/address.js';
import { useRead } from '../../shared/data.js';
import { money } from '../../shared/money.js';
import { Loaded, Empty, Figures, Panel } from '../../shared/parts.js';
import { Sheet } from '../../shared/sheet.js';
import { number, t, word } from '../../shared/texts.js';

/** Totals per shop and connected site since the program began. */
export function Shops(): ReactNode {
  const address = useAddress();
  const providers = useRead('reports.providers');
  const entries = Object.entries(providers.data?.providers ?? {});
  const chosen = address.get('shop', entries[0]?.[0] ?? '');
  const report = useRead('reports.provider', { params: { provider: chosen } }, { enabled: chosen !== '' });
  if (providers.data !== undefined && entries.length === 0)
    return (
      <Empty
        title={t('No reports yet')}
        text={t('Switch on an integration or connect a site; its sales are added up here.')}
      />
    );
  return (
    <Panel
      title={t('Since the program began')}
      about={t('All sales of each shop and connected site, in every currency.')}
    >
      <div className="fa-stack">
        <Select
          aria-label={t('Shop')}
          w={280}
          data={entries.map(([value, { title }]) => ({ value, label: title }))}
          value={chosen || null}
          onChange={(shop) => address.set({ shop })}
        />
        <Loaded of={report}>
          {({ report: { title, widgets, by_currency: others } }) => (
            <>
              <Figures
                figures={Object.values(widgets).map(({ label, value, is_money }) => ({
                  label: word(label),
                  value: is_money ? money(value) : number(value),
                }))}
              />
              {others && Object.keys(others).length > 0 && (
                <section>
                  <h3 className="fa-part">{t('{shop}: by currency', { shop: title })}</h3>
                  <Sheet
                    rows={Object.entries(others)}
                    rowKey={([code]) => code}
                    columns={[
                      { label: t('Currency'), cell: ([code]) => code },
                      ...Object.keys(Object.values(others)[0] ?? {}).map((key) => ({
                        label: word(key),
                        number: true,
                        cell: ([code, figures]: [string, Readonly<Record<string, number>>]) =>
                          money(figures[key], code),
                      })),
                    ]}
                  />
                </section>
              )}
            </>
          )}
        </Loaded>
      </div>
    </Panel>
  );
}
