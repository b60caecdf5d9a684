import { minor, toDecimal } from '../src/core/money.js';
import type { ImportReport } from '../src/index.js';
import type { Violation } from '../src/accounting/ledger/types.js';
import { progressOf } from '../src/channels/imports/state.js';
import type { AffiliateComparison, ImportRun } from '../src/channels/imports/types.js';
import type { Flags } from './arguments.js';

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

type Cells = readonly (string | number)[];

/** Sets rows in columns, numbers to the right. */
export function table(rows: readonly Cells[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => String(row[column] ?? '').length)),
  );
  const cell = (value: string | number, column: number): string =>
    typeof value === 'number' || column > 1
      ? String(value).padStart(widths[column] ?? 0)
      : String(value).padEnd(widths[column] ?? 0);
  return `${rows.map((row) => row.map(cell).join('  ').trimEnd()).join('\n')}\n`;
}

/** Prints a result: as JSON with --json, else as tables. */
export function printResult(
  { json }: Pick<Flags, 'json'>,
  terminal: Terminal,
  result: unknown,
  ...tables: readonly (readonly Cells[])[]
): void {
  terminal.out(json ? `${JSON.stringify(result, null, 2)}\n` : tables.map(table).join(''));
}

/**
 * A row that breaks a rule of the books, as text: name of the rule, the row, what is wrong and what must
 * hold.
 */
export const violationText = ({ invariant, name, table: rows, id, detail, rule }: Violation): string =>
  `${invariant} (${name}), ${rows}${id === null ? '' : ` ${id}`}: ${detail} Must hold: ${rule}`;

/** Prints the rows that break a rule of the books, up to `limit`. Returns the exit code: 1 when there are any. */
export function printViolations(terminal: Terminal, violations: readonly Violation[], limit = 20): number {
  for (const violation of violations.slice(0, limit)) terminal.err(`${violationText(violation)}\n`);
  return violations.length === 0 ? 0 : 1;
}

const money = (amount: number, currency: string): string => toDecimal(minor(amount), currency);

const FIGURES = ['found', 'imported', 'existing', 'skipped'] as const;
const SUMS = [...FIGURES, 'moved', 'stored'] as const;
const BALANCES = ['unpaid', 'processing', 'paid'] as const;

/** The report of an import as text. */
export function reportText(report: ImportReport): string {
  const sums = report.sums.map((sum) => [
    sum.status,
    sum.currency,
    sum.found,
    ...SUMS.map((figure) => money(sum[`${figure}_minor`], sum.currency)),
    rounding(sum.rounding_e12),
  ]);
  const reasons = [
    ...Object.entries(report.skipped).map(([reason, n]) => ['skipped', reason, n]),
    ...Object.entries(report.noted).map(([reason, n]) => ['remark', reason, n]),
  ];
  return [
    `Import from ${report.source}: ${report.stage}\n`,
    table([
      ['rows', ...FIGURES],
      ...Object.entries(report.stages).map(([stage, rows]) => [
        stage,
        ...FIGURES.map((figure) => rows[figure]),
      ]),
    ]),
    table([['commissions', 'currency', 'rows', ...SUMS, 'rounding'], ...sums]),
    ...(report.sums.some(({ moved }) => moved !== 0) ? [MOVED] : []),
    ...Object.entries(report.payments).map(
      ([currency, { stated_minor: stated, matched_minor: matched }]) =>
        `Payments ${currency}: ${money(stated, currency)} in the old system, ` +
        `${money(matched, currency)} covered by its commissions\n`,
    ),
    ...program(report),
    ...unread(report),
    ...links(report),
    ...shops(report),
    reasons.length === 0
      ? 'No rows were skipped, and none has a remark.\n'
      : table([['', 'reason', 'rows'], ...reasons]),
  ].join('\n');
}

const MOVED =
  'Moved: commissions of payments in progress. They are in payouts with the status processing. ' +
  'Mark these payouts as paid, or delete a transaction to make its commissions payable again.\n';

function rounding(e12: string): string {
  const value = Number(e12) / 1e12;
  return value === 0 ? '0' : value.toPrecision(3);
}

/** The settings of the old program; the new one needs the same link variable, for example. */
function program({ program: settings }: ImportReport): string[] {
  const known = Object.entries(settings ?? {}).filter(([, value]) => value !== null && value !== '');
  const listed = known.map(([name, value]) => `${name} ${String(value)}`).join(', ');
  return known.length === 0 ? [] : [`Settings of the old program: ${listed}\n`];
}

/** Content of the old database that the import does not read. */
function unread({ unread: content }: ImportReport): string[] {
  const lines = content.map(({ table: name, column, rows }) => [name, column ?? '(whole table)', rows]);
  return lines.length === 0 ? [] : [table([['not read', 'column', 'rows'], ...lines])];
}

function links({ links: trial }: ImportReport): string[] {
  if (trial === null) return [];
  const wrong = trial.wrong.map(
    ({ source_id: id, form, affiliate_id: found }) =>
      `  wrong: ${form} of affiliate ${id} credits ${found === null ? 'no affiliate' : `affiliate ${found}`}\n`,
  );
  return [`Old links: ${trial.right} of ${trial.tried} credit the right affiliate.\n${wrong.join('')}`];
}

/** The shops of the commissions: refunds find their orders only under the same name. */
function shops({ providers }: ImportReport): string[] {
  const names = Object.entries(providers).map(([name, { rows }]) => `${name} (${rows})`);
  return names.length === 0
    ? []
    : [
        `Shops of the orders: ${names.join(', ')}. Refunds find their orders only if the provider has the same name ` +
          'here. Rename a shop with `--provider <old>=<new>`.\n',
      ];
}

/** Affiliates whose balance differs from the old system's, one line per currency. */
export function differencesText(differing: readonly AffiliateComparison[]): string {
  if (differing.length === 0) return 'Balances: all affiliates match the old system.\n';
  const balances = differing.flatMap((row) =>
    row.balances
      .filter(({ differs }) => differs)
      .map(({ currency, source, here }) => [
        row.source_id,
        currency,
        ...BALANCES.flatMap((figure) =>
          [source, here].map((side) => money(side[`${figure}_minor`], currency)),
        ),
      ]),
  );
  const payments = differing.flatMap((row) =>
    row.payments
      .filter(({ differs }) => differs)
      .map(({ currency, source_minor: there, here_minor: here }) => [
        row.source_id,
        currency,
        money(there, currency),
        money(here, currency),
      ]),
  );
  const stated = differing.filter(({ stated_differs: differs }) => differs).map(statedLine);
  return [
    section("Balances that differ from the old system's:", balances, ['unpaid', 'processing', 'paid']),
    section('Stated totals that differ from the sum of the commissions:', stated, [
      'total',
      'unpaid',
      'paid',
    ]),
    section('Payments that add up to another amount here:', payments, ['paid']),
  ].join('');
}

/** Lines with each figure in the old system and here. */
function section(title: string, lines: readonly Cells[], figures: readonly string[]): string {
  const head = ['affiliate', 'currency', ...figures.flatMap((figure) => [figure, 'here'])];
  return lines.length === 0 ? '' : `${title}\n${table([head, ...lines])}`;
}

/** The totals in the row of the old system and those here; '' where the row has none. */
function statedLine(row: AffiliateComparison): string[] {
  const { stored_total_minor: total, stored_unpaid_minor: unpaid } = row;
  return [
    row.source_id,
    row.currency,
    ...[
      row.stated_total_minor,
      total,
      row.stated_unpaid_minor,
      unpaid,
      row.stated_paid_minor,
      total - unpaid,
    ].map((amount) => (amount === null ? '' : money(amount, row.currency))),
  ];
}
