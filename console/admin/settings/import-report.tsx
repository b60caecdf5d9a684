import type { ReactNode } from 'react';
import { useRead } from '../../shared/data.js';
import { currencyDigitsOf, money } from '../../shared/money.js';
import { AppLink, Empty, Facts, Panel, Status, statusText } from '../../shared/parts.js';
import { number, t, tn, word } from '../../shared/texts.js';

interface Sum {
  readonly status: string;
  readonly currency: string;
  readonly found: number;
  readonly found_minor: number;
  readonly skipped: number;
  readonly skipped_minor: number;
  readonly stored: number;
  readonly stored_minor: number;
}
interface Report {
  readonly sums: readonly Sum[];
  readonly skipped: Readonly<Record<string, number>>;
  readonly noted: Readonly<Record<string, number>>;
  readonly providers: Readonly<Record<string, { readonly rows: number; readonly known: boolean }>>;
  readonly links: {
    readonly tried: number;
    readonly right: number;
  } | null;
}

const amount = (minor: number, currency: string): string =>
  money(minor / 10 ** currencyDigitsOf(currency), currency);

/**
 * What came of a run: sums before and after, whose balance differs, what was left out,
 * and whether old links still count.
 */
export function ImportReport({ migrator, running }: { migrator: string; running: boolean }): ReactNode {
  const reading = useRead('migrations.report', { query: { migrator } }, { every: running && 3000 });
  const report = reading.data?.report as Report | null | undefined;
  if (!report) return null;
  const remarks = [...Object.entries(report.skipped), ...Object.entries(report.noted)];
  return (
    <>
      <Panel title={t('Sums before and after')} flush>
        <div className="fa-table-frame fa-keep" tabIndex={0}>
          <table className="fa-table">
            <thead>
              <tr>
                <th scope="col">{t('Status')}</th>
                <th scope="col" className="fa-end">
                  {t('In the old system')}
                </th>
                <th scope="col" className="fa-end">
                  {t('Left out')}
                </th>
                <th scope="col" className="fa-end">
                  {t('Here')}
                </th>
              </tr>
            </thead>
            <tbody>
              {report.sums.map((sum) => (
                <tr key={`${sum.status} ${sum.currency}`}>
                  <th scope="row">{statusText(sum.status)}</th>
                  <td className="fa-end fa-number">
                    {amount(sum.found_minor, sum.currency)}{' '}
                    <span className="fa-faint">({number(sum.found)})</span>
                  </td>
                  <td className="fa-end fa-number">
                    {amount(sum.skipped_minor, sum.currency)}{' '}
                    <span className="fa-faint">({number(sum.skipped)})</span>
                  </td>
                  <td className="fa-end fa-number">
                    {amount(sum.stored_minor, sum.currency)}{' '}
                    <span className="fa-faint">({number(sum.stored)})</span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Panel>
      {report.links !== null && (
        <Panel title={t('Old links')}>
          <Facts
            facts={[
              { label: t('Tried'), value: number(report.links.tried) },
              { label: t('Credited'), value: number(report.links.right) },
            ]}
          />
        </Panel>
      )}
      {Object.keys(report.providers).length > 0 && (
        <Panel title={t('Shops of the orders')}>
          <Facts
            facts={Object.entries(report.providers).map(([name, { rows, known }]) => ({
              label: name,
              value: (
                <>
                  {tn('{count} order', '{count} orders', rows)}{' '}
                  {!known && <span className="fa-faint">{t('no integration of this name')}</span>}
                </>
              ),
            }))}
          />
        </Panel>
      )}
      <Balances migrator={migrator} />
      {remarks.length > 0 && (
        <Panel title={t('Remarks')}>
          <Facts
            facts={remarks.map(([reason, rows]) => ({
              label: word(reason),
              value: tn('{count} row', '{count} rows', rows),
            }))}
          />
          <LeftOut migrator={migrator} />
        </Panel>
      )}
    </>
  );
}

/** The balance sheet of both systems, affiliate by affiliate. */
function Balances({ migrator }: { migrator: string }): ReactNode {
  const reading = useRead('migrations.affiliates', { query: { migrator } });
  const rows = reading.data?.affiliates ?? [];
  if (reading.data === undefined) return null;
  const lines = rows.flatMap((row) => row.balances.map((balance) => ({ row, balance })));
  return (
    <Panel title={t('Balance sheet')} about={t('What is owed per affiliate, there and here.')} flush>
      {lines.length === 0 ? (
        <Empty title={t('No balances')} />
      ) : (
        <div className="fa-table-frame fa-keep" tabIndex={0}>
          <table className="fa-table">
            <thead>
              <tr>
                <th scope="col">{t('Affiliate')}</th>
                <th scope="col" className="fa-end">
                  {t('Unpaid there')}
                </th>
                <th scope="col" className="fa-end">
                  {t('Unpaid here')}
                </th>
                <th scope="col" className="fa-end">
                  {t('Paid there')}
                </th>
                <th scope="col" className="fa-end">
                  {t('Paid here')}
                </th>
                <th scope="col">{t('Result')}</th>
              </tr>
            </thead>
            <tbody>
              {lines.map(({ row, balance: { currency, source, here, differs } }) => (
                <tr key={`${row.source_id} ${currency}`}>
                  <th scope="row">
                    {row.affiliate_id === null ? (
                      (row.email ?? row.login ?? `#${row.source_id}`)
                    ) : (
                      <AppLink href={`/affiliates/${row.affiliate_id}`}>
                        {row.email ?? row.login ?? `#${row.affiliate_id}`}
                      </AppLink>
                    )}
                  </th>
                  <td className="fa-end fa-number">{amount(source.unpaid_minor, currency)}</td>
                  <td className="fa-end fa-number">{amount(here.unpaid_minor, currency)}</td>
                  <td className="fa-end fa-number">{amount(source.paid_minor, currency)}</td>
                  <td className="fa-end fa-number">{amount(here.paid_minor, currency)}</td>
                  <td>
                    <Status of={differs ? 'failed' : 'ok'} label={differs ? t('Differs') : t('Equal')} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {reading.data.next_cursor !== null && (
        <p className="fa-menu-note">{t('Only the first are shown; the command line prints all.')}</p>
      )}
    </Panel>
  );
}

/** Rows that did not come in, each with a sentence. */
function LeftOut({ migrator }: { migrator: string }): ReactNode {
  const reading = useRead('migrations.rows', { query: { migrator } });
  const rows = reading.data?.rows ?? [];
  return (
    <ul className="fa-risks">
      {rows.slice(0, 100).map((row) => (
        <li key={row.id}>
          <Status of={row.outcome} label={word(row.outcome)} />
          <span lang="en">
            {row.sentence} {row.advice}
          </span>
        </li>
      ))}
    </ul>
  );
}
