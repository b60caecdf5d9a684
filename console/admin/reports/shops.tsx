import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../shared/address.js';
import { useRead } from '../../shared/data.js';
import { money } from '../../shared/money.js';
import { Loaded, Empty, Figures, Panel } from '../../shared/parts.js';
import { number, t, word } from '../../shared/texts.js';

/** What a shop or a connected site brought since the program began. */
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
      title={t('Since the beginning')}
      about={t('Everything a shop or a connected site ever brought, in every currency.')}
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
                  <div className="fa-table-frame fa-keep" tabIndex={0}>
                    <table className="fa-table">
                      <thead>
                        <tr>
                          <th scope="col">{t('Currency')}</th>
                          {Object.keys(Object.values(others)[0] ?? {}).map((key) => (
                            <th scope="col" key={key} className="fa-end">
                              {word(key)}
                            </th>
                          ))}
                        </tr>
                      </thead>
                      <tbody>
                        {Object.entries(others).map(([code, figures]) => (
                          <tr key={code}>
                            <th scope="row">{code}</th>
                            {Object.entries(figures).map(([key, value]) => (
                              <td key={key} className="fa-end fa-number">
                                {money(value, code)}
                              </td>
                            ))}
                          </tr>
                        ))}
                      </tbody>
                    </table>
                  </div>
                </section>
              )}
            </>
          )}
        </Loaded>
      </div>
    </Panel>
  );
}
