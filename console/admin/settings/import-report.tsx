import type { ReactNode } from 'react';
import { useRead, useSentences, type ResponseOf } from '../../shared/data.js';
import { currencyDigitsOf, money } from '../../shared/money.js';
import { AppLink, Facts, Panel, Status, statusText } from '../../shared/parts.js';
import { Sheet } from '../../shared/sheet.js';
import { number, sentence, t, tn, word } from '../../shared/texts.js';

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
  /** Texts of these reasons. */
  readonly sentences: Readonly<Record<string, string>>;
  readonly providers: Readonly<Record<string, { readonly rows: number; readonly known: boolean }>>;
  readonly links: {
    readonly tried: number;
    readonly right: number;
  } | null;
}

const amount = (minor: number, currency: string): string =>
  money(minor / 10 ** currencyDigitsOf(currency), currency);

/** An amount with its number of rows. */
const Rows = ({
  minor,
  of: { currency },
  count,
}: {
  minor: number;
  of: { currency: string };
  count: number;
}): ReactNode => (
  <>
    {amount(minor, currency)} <span className="fa-faint">({number(count)})</span>
  </>
);

/** The report of an import: totals before and after, balances that differ, skipped rows, and old links. */
export function ImportReport({ migrator, running }: { migrator: string; running: boolean }): ReactNode {
  const reading = useRead('migrations.report', { query: { migrator } }, { every: running && 3000 });
  const report = reading.data?.report as Report | null | undefined;
  const known = useSentences();
  if (!report) return null;
  const remarks = [...Object.entries(report.skipped), ...Object.entries(report.noted)];
  return (
    <>
      <Panel title={t('Totals before and after')} flush>
        <Sheet
          rows={report.sums}
          rowKey={(sum) => `${sum.status} ${sum.currency}`}
          columns={[
            { label: t('Status'), cell: (sum) => statusText(sum.status) },
            {
              label: t('In the old system'),
              number: true,
              cell: (sum) => <Rows minor={sum.found_minor} of={sum} count={sum.found} />,
            },
            {
              label: t('Skipped'),
              number: true,
              cell: (sum) => <Rows minor={sum.skipped_minor} of={sum} count={sum.skipped} />,
            },
            {
              label: t('Here'),
              number: true,
              cell: (sum) => <Rows minor={sum.stored_minor} of={sum} count={sum.stored} />,
            },
          ]}
        />
      </Panel>
      {report.links !== null && (
        <Panel title={t('Old links')}>
          <Facts
            facts={[
              { label: t('Attempted'), value: number(report.links.tried) },
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
        <Panel title={t('Remarks')} flush>
          <Sheet
            rows={remarks}
            rowKey={([reason]) => reason}
            columns={[
              {
                label: t('Remark'),
                cell: ([reason]) => known && sentence(report.sentences[reason] ?? reason),
              },
              { label: t('Rows'), number: true, cell: ([, rows]) => number(rows) },
            ]}
          />
        </Panel>
      )}
      {remarks.length > 0 && (
        <Panel title={t('Rows with a remark')}>
          <SkippedRows migrator={migrator} known={known} />
        </Panel>
      )}
    </>
  );
}

/** Balances in both systems, per affiliate. */
function Balances({ migrator }: { migrator: string }): ReactNode {
  const reading = useRead('migrations.affiliates', { query: { migrator } });
  const rows = reading.data?.affiliates ?? [];
  if (reading.data === undefined) return null;
  const lines = rows.flatMap((row) => row.balances.map((balance) => ({ row, balance })));
  return (
    <Panel
      title={t('Balance sheet')}
      about={t('Amount owed per affiliate, in the old system and here.')}
      flush
    >
      <Sheet
        rows={lines}
        rowKey={({ row, balance }) => `${row.source_id} ${balance.currency}`}
        columns={[
          {
            label: t('Affiliate'),
            cell: ({ row }) =>
              row.affiliate_id === null ? (
                (row.email ?? row.login ?? `#${row.source_id}`)
              ) : (
                <AppLink href={`/affiliates/${row.affiliate_id}`}>
                  {row.email ?? row.login ?? `#${row.affiliate_id}`}
                </AppLink>
              ),
          },
          {
            label: t('Unpaid there'),
            number: true,
            cell: ({ balance }) => amount(balance.source.unpaid_minor, balance.currency),
          },
          {
            label: t('Unpaid here'),
            number: true,
            cell: ({ balance }) => amount(balance.here.unpaid_minor, balance.currency),
          },
          {
            label: t('Paid there'),
            number: true,
            cell: ({ balance }) => amount(balance.source.paid_minor, balance.currency),
          },
          {
            label: t('Paid here'),
            number: true,
            cell: ({ balance }) => amount(balance.here.paid_minor, balance.currency),
          },
          {
            label: t('Result'),
            cell: ({ balance: { differs } }) => (
              <Status of={differs ? 'failed' : 'ok'} label={differs ? t('Differs') : t('Equal')} />
            ),
          },
        ]}
        empty={{ title: t('No balances') }}
      />
      <DifferingTotals rows={rows} />
      {reading.data.next_cursor !== null && (
        <p className="fa-menu-note">{t('Shows only the first rows. The command line prints all of them.')}</p>
      )}
    </Panel>
  );
}

type ComparedAffiliate = ResponseOf<'migrations.affiliates'>['affiliates'][number];

/** Totals of the old system that differ here. */
function DifferingTotals({ rows }: { rows: readonly ComparedAffiliate[] }): ReactNode {
  const lines = rows.flatMap((row) => [
    ...(row.stated_differs
      ? [
          {
            row,
            what: t('Earnings'),
            currency: row.currency,
            there: row.stated_total_minor ?? row.stated_unpaid_minor ?? row.stated_paid_minor ?? 0,
            here: row.stated_total_minor === null ? row.stored_unpaid_minor : row.stored_total_minor,
          },
        ]
      : []),
    ...row.payments
      .filter(({ differs }) => differs)
      .map(({ currency, source_minor: there, here_minor: here }) => ({
        row,
        what: t('Payments'),
        currency,
        there,
        here,
      })),
  ]);
  if (lines.length === 0) return null;
  return (
    <Sheet
      rows={lines}
      rowKey={({ row, what, currency }) => `${row.source_id} ${what} ${currency}`}
      columns={[
        { label: t('Totals that differ'), cell: ({ row }) => row.email ?? row.login ?? `#${row.source_id}` },
        { label: t('Figure'), cell: ({ what }) => what },
        {
          label: t('In the old system'),
          number: true,
          cell: ({ there, currency }) => amount(there, currency),
        },
        { label: t('Here'), number: true, cell: ({ here, currency }) => amount(here, currency) },
      ]}
    />
  );
}

/** Translates a remark sentence by sentence; values of the old system stay unchanged. */
export function describe(english: string): string {
  const [, reasons = english, stood] = /^(.*?)(?: (Original value: ".*"\.))?$/s.exec(english) ?? [];
  const parts = [...reasons.split(/(?<=\.) (?=[A-Z])/), ...(stood === undefined ? [] : [stood])];
  return parts.map(sentence).join(' ');
}

/** By whom or what people know a row; '' for a row of a file without ID. */
const nameOf = ({ affiliate, source_id }: { affiliate: string | null; source_id: string }): string =>
  [affiliate, source_id].find((name) => name !== null && !/^at-\d+$/.test(name)) ?? '';

/** Rows that were not imported, with the reasons. */
function SkippedRows({ migrator, known }: { migrator: string; known: boolean }): ReactNode {
  const reading = useRead('migrations.rows', { query: { migrator } });
  const rows = known ? (reading.data?.rows ?? []) : [];
  return (
    <ul className="fa-risks">
      {rows.slice(0, 100).map((row) => (
        <li key={row.id}>
          <Status of={row.outcome} label={word(row.outcome)} />
          <span>
            <span className="fa-strong">
              {[word(row.stage), nameOf(row)].join(' ').trim()}
              {row.amount !== null && ` · ${row.amount} ${row.currency ?? ''}`}
            </span>
            {': '}
            {describe(row.sentence)} {describe(row.advice)}
          </span>
        </li>
      ))}
    </ul>
  );
}
