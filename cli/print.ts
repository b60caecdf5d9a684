import { minor, toDecimal } from '../src/core/money.js';
import type { ImportReport } from '../src/index.js';
import type { Violation } from '../src/accounting/ledger/types.js';
import { progressOf } from '../src/channels/imports/state.js';
import type { AffiliateComparison, ImportRun } from '../src/channels/imports/types.js';

export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** The terminal can overwrite its last line. */
  readonly live: boolean;
  /** Asks the person at the terminal; absent where there is none. */
  ask?(question: string): Promise<string>;
}

const WIDTH = 24;
const QUIET_MS = 5000;

/** Shows a bar with stage, rows, rate and remaining time; in a log file, one line every few seconds. */
export function progressBar(terminal: Terminal): (run: ImportRun) => void {
  const { live } = terminal;
  let last = -Infinity;
  return (run) => {
    const now = performance.now();
    const done = run.stage === 'completed';
    if (!done && now - last < (live ? 100 : QUIET_MS)) return;
    last = now;
    const { processed, total, per_second: rate, remaining_seconds: left } = progressOf(run.state, done);
    const part = total === 0 ? 1 : processed / total;
    const bar = '#'.repeat(Math.round(part * WIDTH)).padEnd(WIDTH, '.');
    const line =
      `[${bar}] ${Math.floor(part * 100)}% ${run.stage} ${processed}/${total} rows, ${rate}/s, ` +
      (left === null ? '…' : `${left} s left`);
    terminal.err(live ? `\r${line.padEnd(78)}${done ? '\n' : ''}` : `${line}\n`);
  };
}

/** Sets rows in columns, numbers to the right. */
export function table(rows: readonly (readonly (string | number)[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => String(row[column] ?? '').length)),
  );
  const cell = (value: string | number, column: number): string =>
    typeof value === 'number' || column > 1
      ? String(value).padStart(widths[column] ?? 0)
      : String(value).padEnd(widths[column] ?? 0);
  return `${rows.map((row) => row.map(cell).join('  ').trimEnd()).join('\n')}\n`;
}

/**
 * A row that breaks a rule of the books, as text: name of the rule, the row, what is wrong and what must
 * hold.
 */
export const violationText = ({ invariant, name, table: rows, id, detail, rule }: Violation): string =>
  `${invariant} (${name}), ${rows}${id === null ? '' : ` ${id}`}: ${detail} Must hold: ${rule}`;

const money = (amount: number, currency: string): string => toDecimal(minor(amount), currency);

/** The report of an import as text. */
export function reportText(report: ImportReport): string {
  const stages = Object.entries(report.stages).map(([stage, { found, imported, existing, skipped }]) => [
    stage,
    found,
    imported,
    existing,
    skipped,
  ]);
  const sums = report.sums.map((sum) => [
    sum.status,
    sum.currency,
    sum.found,
    money(sum.found_minor, sum.currency),
    money(sum.imported_minor, sum.currency),
    money(sum.existing_minor, sum.currency),
    money(sum.skipped_minor, sum.currency),
    money(sum.moved_minor, sum.currency),
    money(sum.stored_minor, sum.currency),
    rounding(sum.rounding_e12),
  ]);
  const reasons = [
    ...Object.entries(report.skipped).map(([reason, n]) => ['left out', reason, n]),
    ...Object.entries(report.noted).map(([reason, n]) => ['remark', reason, n]),
  ];
  const payments = Object.entries(report.payments).map(
    ([currency, { stated_minor: stated, matched_minor: matched }]) =>
      `Payments ${currency}: ${money(stated, currency)} in the old system, ` +
      `${money(matched, currency)} covered by its commissions\n`,
  );
  const held = report.sums.some((sum) => sum.moved !== 0)
    ? [
        'Moved: commissions of payments on their way; they are in payouts that are processing. ' +
          'Mark these payouts paid, or delete a transaction to owe its commissions again.\n',
      ]
    : [];
  return [
    `Import from ${report.source}: ${report.stage}\n`,
    table([['rows', 'found', 'imported', 'known', 'left out'], ...stages]),
    table([
      [
        'commissions',
        'currency',
        'rows',
        'found',
        'imported',
        'known',
        'left out',
        'moved',
        'stored now',
        'rounding',
      ],
      ...sums,
    ]),
    ...held,
    ...payments,
    ...program(report),
    ...unread(report),
    ...links(report),
    ...foreignProviders(report),
    reasons.length === 0 ? 'Nothing was left out.\n' : table([['', 'reason', 'rows'], ...reasons]),
  ].join('\n');
}

function rounding(e12: string): string {
  const value = Number(e12) / 1e12;
  return value === 0 ? '0' : value.toPrecision(3);
}

/**
 * How the old program was set up. Who sets up the new one needs it: old links work only with the same
 * parameter.
 */
function program({ program: settings }: ImportReport): string[] {
  const known = Object.entries(settings ?? {}).filter(([, value]) => value !== null && value !== '');
  return known.length === 0
    ? []
    : [
        `Settings of the old program: ${known.map(([name, value]) => `${name} ${String(value)}`).join(', ')}\n`,
      ];
}

/** Content of the old database that the import does not read. */
const unread = ({ unread: content }: ImportReport): string[] =>
  content.length === 0
    ? []
    : [
        table([
          ['not read', 'column', 'rows'],
          ...content.map(({ table: name, column, rows }) => [name, column ?? '(whole table)', rows]),
        ]),
      ];

function links({ links: trial }: ImportReport): string[] {
  if (trial === null) return [];
  const lines = [`Old links: ${trial.right} of ${trial.tried} credit the right affiliate.\n`];
  for (const { source_id: id, form, affiliate_id: found } of trial.wrong)
    lines.push(
      `  wrong: ${form} of affiliate ${id} credits ${found === null ? 'nobody' : `affiliate ${found}`}\n`,
    );
  return [lines.join('')];
}

/**
 * Warns of shops that have another name in this program: refunds find their orders only under the same name.
 */
function foreignProviders({ providers }: ImportReport): string[] {
  const names = Object.entries(providers).map(([name, { rows }]) => `${name} (${rows})`);
  return names.length === 0
    ? []
    : [
        `Shops of the orders: ${names.join(', ')}. A refund finds its order when the provider here has the same ` +
          `name; rename with --provider old=new.\n`,
      ];
}

/** Affiliates whose balance differs from the old system's, one line per currency. */
export function differencesText(differing: readonly AffiliateComparison[]): string {
  if (differing.length === 0)
    return 'Balances: every affiliate is owed and was paid what the old system says.\n';
  const lines = differing.flatMap(({ source_id: id, balances }) =>
    balances
      .filter(({ differs }) => differs)
      .map(({ currency, source, here }) => [
        id,
        currency,
        money(source.unpaid_minor, currency),
        money(here.unpaid_minor, currency),
        money(source.processing_minor, currency),
        money(here.processing_minor, currency),
        money(source.paid_minor, currency),
        money(here.paid_minor, currency),
      ]),
  );
  return [
    section("Balances that differ from the old system's (owed, being paid, paid; there and here):", lines, [
      'affiliate',
      'currency',
      'owed',
      'here',
      'open',
      'here',
      'paid',
      'here',
    ]),
    section(
      'Figures in the rows of affiliates that differ from what their commissions add up to here:',
      differing.filter(({ stated_differs: differs }) => differs).map(statedLine),
      ['affiliate', 'currency', 'total', 'here', 'owed', 'here', 'paid', 'here'],
    ),
    section(
      'Payments that add up to another amount here:',
      differing.flatMap(({ source_id: id, payments }) =>
        payments
          .filter(({ differs }) => differs)
          .map(({ currency, source_minor: there, here_minor: here }) => [
            id,
            currency,
            money(there, currency),
            money(here, currency),
          ]),
      ),
      ['affiliate', 'currency', 'paid', 'here'],
    ),
  ].join('');
}

const section = (title: string, lines: readonly (readonly string[])[], head: readonly string[]): string =>
  lines.length === 0 ? '' : `${title}\n${table([head, ...lines])}`;

/** What the row states, beside what is here; '' where it states nothing. */
function statedLine(row: AffiliateComparison): string[] {
  const { currency } = row;
  const stated = (amount: number | null): string => (amount === null ? '' : money(amount, currency));
  const paid = row.stored_total_minor - row.stored_unpaid_minor;
  return [
    row.source_id,
    currency,
    stated(row.stated_total_minor),
    money(row.stored_total_minor, currency),
    stated(row.stated_unpaid_minor),
    money(row.stored_unpaid_minor, currency),
    stated(row.stated_paid_minor),
    money(paid, currency),
  ];
}
