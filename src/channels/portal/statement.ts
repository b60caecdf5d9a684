import { dayStart, parseDay, toIso, toSite } from '../../core/dates.js';
import { minor, toWire } from '../../core/money.js';
import { offsetOf, type Page } from '../../core/page.js';
import type { ExportSource } from '../../platform/http/export.js';
import { FieldCheck } from '../../errors.js';
import { readCurrency } from '../../records/currency-field.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Deps } from './deps.js';
import {
  balanceAt,
  countStatement,
  decisionsOf,
  namesOf,
  statementAfter,
  statementLines,
  type StatementNames,
} from './money-queries.js';
import { STATEMENT_COLUMNS, type StatementResponse, type StatementRow } from './schemas.js';
import type { Decision, NamedLine, StatementLine, StatementRange } from './types.js';

export interface StatementQuery {
  readonly page: number;
  readonly per_page: number;
  readonly start_date?: string;
  readonly end_date?: string;
  /** The program's unless given. */
  readonly currency?: string;
}
type StatementScope = Pick<StatementQuery, 'start_date' | 'end_date' | 'currency'>;

const EXPORT_PAGE = 250;
const EVER = { from: null, to: null } as const;

/** The account statement of an affiliate in one currency; all entries of one payment are one line. */
export class Statement {
  constructor(private readonly app: Deps) {}

  /** With `allNotes`, for managers, the rows have the reasons that affiliates do not read. */
  async list(
    affiliate: Affiliate,
    query: StatementQuery,
    { allNotes = false }: { readonly allNotes?: boolean } = {},
  ): Promise<{ page: Page<StatementRow>; balance: StatementResponse['balance'] }> {
    const statement = await this.#of(affiliate, query);
    const { db } = this.app;
    const money = (amount: number): number => toWire(minor(amount), statement.currency);
    const total = await countStatement(db, statement);
    const lines = await statementLines(db, statement, { limit: query.per_page, offset: offsetOf(query) });
    const whole = await balanceAt(db, statement, null);
    const first = await balanceAt(db, statement, lines[0]?.id ?? 0);
    let balance = first.opening + first.added;
    const rows: StatementRow[] = [];
    for (const line of await this.#named(lines)) {
      rows.push({ ...present(line, money, allNotes), balance: money(balance) });
      balance -= line.delta_minor;
    }
    return {
      page: { rows, total, page: query.page, per_page: query.per_page },
      balance: {
        currency: statement.currency,
        opening: money(whole.opening),
        closing: money(whole.opening + whole.added),
        balances: (await this.app.balances.dtoOf([affiliate.id])).get(affiliate.id) ?? [],
      },
    };
  }

  async newest(affiliate: Affiliate, limit: number): Promise<StatementRow[]> {
    const statement = await this.#of(affiliate, {});
    const money = (amount: number): number => toWire(minor(amount), statement.currency);
    const lines = await statementLines(this.app.db, statement, { limit, offset: 0 });
    return (await this.#named(lines)).map((line) => present(line, money));
  }

  /** Oldest first, like a bank statement. */
  async export(
    affiliate: Affiliate,
    query: Omit<StatementQuery, 'page' | 'per_page'>,
  ): Promise<ExportSource> {
    const statement = await this.#of(affiliate, query);
    return {
      name: 'statement',
      file: 'balance_statement.csv',
      columns: STATEMENT_COLUMNS,
      escaped: ['description'],
      total: await countStatement(this.app.db, statement),
      rows: this.#exported(statement),
    };
  }

  async *#exported(statement: StatementOf): AsyncGenerator<Record<string, string | number | null>[]> {
    const { timeZone } = this.app.host.site();
    const money = (amount: number): number => toWire(minor(amount), statement.currency);
    let { opening: balance } = await balanceAt(this.app.db, statement, 0);
    let open: StatementLine | null = null;
    for (let after = 0; ;) {
      const entries = await statementAfter(this.app.db, statement, after, EXPORT_PAGE);
      const ended = entries.length < EXPORT_PAGE;
      const lines: StatementLine[] = [];
      for (const entry of entries) {
        if (open && isSameLine(open, entry))
          open = { ...entry, delta_minor: open.delta_minor + entry.delta_minor, count: open.count + 1 };
        else {
          if (open) lines.push(open);
          open = entry;
        }
        after = entry.id;
      }
      if (ended && open) lines.push(open);
      yield (await this.#named(lines)).map((line) => {
        balance += line.delta_minor;
        return {
          date: toSite(line.at, timeZone),
          kind: line.kind,
          description: line.description,
          commission_id: line.transaction_id === null ? line.referral_id : null,
          payment_id: line.transaction_id,
          amount: money(line.delta_minor),
          balance: money(balance),
          currency: statement.currency,
        };
      });
      if (ended) return;
    }
  }

  async #named(lines: readonly StatementLine[]): Promise<NamedLine[]> {
    const names = await namesOf(this.app.db, lines);
    const byPeople = lines.filter(({ reason }) => reason === BY_PERSON).map(({ referral_id: id }) => id);
    const decisions = await decisionsOf(
      this.app.db,
      [...new Set(byPeople)].filter((id) => id !== null),
    );
    return lines.map((line) => named(line, names, decisionOf(line, decisions)));
  }

  async #of(affiliate: Affiliate, { currency: wanted, ...dates }: StatementScope): Promise<StatementOf> {
    const check = new FieldCheck();
    const fallback = (await this.app.settings.referralConfig()).currency;
    const currency = readCurrency(check, wanted, { fallback });
    const range = this.#range(check, dates);
    check.throwIfAny();
    return { affiliateId: affiliate.id, currency, range };
  }

  #range(check: FieldCheck, { start_date: start, end_date: end }: StatementScope): StatementRange {
    if (!start && !end) return EVER;
    const { timeZone } = this.app.host.site();
    const instant = (field: string, text: string | undefined, later: 0 | 1): number | null => {
      if (!text) return null;
      const day = parseDay(text);
      if (day === null) check.add(field, 'date', 'The date must have the form YYYY-MM-DD.');
      return day === null ? null : dayStart(day + later, timeZone) - later;
    };
    return { from: instant('start_date', start, 0), to: instant('end_date', end, 1) };
  }
}

interface StatementOf {
  readonly affiliateId: number;
  readonly currency: string;
  readonly range: StatementRange;
}

const isSameLine = (one: StatementLine, other: StatementLine): boolean =>
  one.transaction_id !== null && one.transaction_id === other.transaction_id && one.kind === other.kind;

/** The reason of entries that the decision of a person made. */
const BY_PERSON = 'manual';

/** The decision behind a line: the newest one about its commission that is not later than it. */
const decisionOf = (line: StatementLine, decisions: readonly Decision[]): Decision | undefined =>
  line.reason === BY_PERSON
    ? decisions.findLast(({ referral_id: id, at }) => id === line.referral_id && at <= line.at)
    : undefined;

function named(line: StatementLine, names: StatementNames, decision: Decision | undefined): NamedLine {
  const about =
    line.transaction_id === null
      ? ofCommission(line, names, decision)
      : ofPayment(line, line.transaction_id, names);
  return { ...line, ...about };
}

type About = Pick<NamedLine, 'description' | 'change' | 'note' | 'isUndone'>;

function ofCommission(
  { referral_id: id }: StatementLine,
  { referrals }: StatementNames,
  decision: Decision | undefined,
): About {
  const { description = '', isCorrection = false } = (id !== null && referrals.get(id)) || {};
  return {
    description,
    change: decision?.change ?? (isCorrection ? 'balance' : null),
    note: decision?.reason ? { text: decision.reason, isShown: decision.isShown } : null,
    isUndone: false,
  };
}

const ofPayment = (
  { payout_id: id }: StatementLine,
  payment: number,
  { payouts, payments }: StatementNames,
): About => ({
  description: (id !== null && payouts.get(id)) || '',
  change: null,
  note: null,
  isUndone: !payments.has(payment),
});

const present = (line: NamedLine, money: (amount: number) => number, allNotes = false): StatementRow => ({
  id: line.id,
  kind: line.kind,
  description: line.description,
  reason: line.reason,
  commission_id: line.transaction_id === null ? line.referral_id : null,
  payment_id: line.transaction_id,
  payment_undone: line.isUndone,
  payout_id: line.payout_id,
  change: line.change,
  note: line.note !== null && (allNotes || line.note.isShown) ? line.note.text : null,
  commissions: line.count,
  amount: money(line.delta_minor),
  created_at: toIso(line.at),
});
