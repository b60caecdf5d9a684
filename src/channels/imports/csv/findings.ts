import { isEmail } from '../../../core/address.js';
import { isCurrency } from '../../../core/money.js';
import type { BadEmail } from '../../../../adapters/imports.js';
import { AMOUNTS, EMAILS, type CsvFileName } from './presets.js';
import type { CsvRow } from './row.js';
import { currencySign, shapeOf, type AmountShape, type CsvForms, type DecimalMark } from './values.js';

/** How often something was found, and where first. */
interface Tally {
  count: number;
  readonly text: string;
  readonly row: number;
}

const MAX_REPORTED = 100;

/** Mistakes and ambiguities in the cells of a file; the file is read only when there are none. */
export class Findings {
  readonly emails: BadEmail[] = [];
  /** Rows without a status; coupons without a shop; amounts that name no currency. */
  withoutStatus = 0;
  withoutProvider = 0;
  withoutCurrency = 0;
  readonly #shapes = new Map<AmountShape, Tally>();
  readonly #currencies = new Map<string, Tally>();
  /** Sign and currency of its row → currencies that the sign can mean. */
  readonly #signs = new Map<
    string,
    Tally & { readonly own: string | null; readonly means: readonly string[] }
  >();

  constructor(
    private readonly file: CsvFileName,
    private readonly forms: CsvForms,
  ) {}

  look(row: CsvRow, number: number): void {
    for (const column of EMAILS[this.file]) {
      const value = row.field(column);
      if (value !== null && !isEmail(value) && this.emails.length < MAX_REPORTED)
        this.emails.push({ rows: this.file, row: String(number), column, value: value.slice(0, 191) });
    }
    const named = row.field('currency');
    if (named !== null && !isCurrency(named.toUpperCase()))
      note(this.#currencies, named, { text: named, row: number });
    for (const column of AMOUNTS[this.file] ?? []) {
      const text = row.field(column);
      if (text !== null) this.#amount(text, named, number);
    }
    if (row.field('status') === null) this.withoutStatus += 1;
    if (row.field('provider') === null) this.withoutProvider += 1;
  }

  #amount(text: string, named: string | null, row: number): void {
    note(this.#shapes, shapeOf(text, this.forms), { text, row });
    const sign = currencySign(text);
    if (named === null && sign?.means.length !== 1) this.withoutCurrency += 1;
    if (sign === null) return;
    const own = named?.toUpperCase() ?? null;
    note(this.#signs, `${sign.sign} ${own ?? ''}`, { text, row, own, means: sign.means });
  }

  /** The decimal mark that was chosen, or that the amounts show; null when it is unknown. */
  get decimalMark(): DecimalMark | null {
    const { decimalMark: chosen } = this.forms;
    if (chosen !== undefined) return chosen;
    if (this.#shapes.has('comma')) return this.#shapes.has('point') ? null : 'comma';
    return this.#shapes.has('point') || !this.#shapes.has('either') ? 'point' : null;
  }

  /** What is wrong with amounts and currencies, as sentences. */
  problem(): string | null {
    const [unknown] = this.#currencies.values();
    if (unknown !== undefined)
      return `${this.file}: ${describe(unknown)} is not an ISO 4217 currency. Correct it in the file.`;
    const bad = this.#shapes.get(null);
    if (bad !== undefined) return `${this.file}: ${describe(bad)} is not an amount. Correct it in the file.`;
    return this.#markProblem();
  }

  #markProblem(): string | null {
    const { decimalMark: mark } = this;
    const [point, comma, either] = (['point', 'comma', 'either'] as const).map((shape) =>
      this.#shapes.get(shape),
    );
    const other = mark === 'point' ? comma : mark === 'comma' ? point : undefined;
    if (other !== undefined)
      return `${this.file}: ${describe(other)} is not written with a decimal ${mark ?? ''}. Correct it in the file.`;
    if (mark !== null) return null;
    if (point !== undefined && comma !== undefined)
      return `${this.file}: ${describe(point)} has a decimal point, ${describe(comma)} a decimal comma. Correct the file.`;
    return (
      `${this.file}: amounts such as ${either?.text ?? ''} are ambiguous. ` +
      'Set `--decimal point` or `--decimal comma` (`decimal` over REST).'
    );
  }

  /** A sign beside an amount that is not the currency of its row; `currency` is that of rows without one. */
  signProblem(currency: string): string | null {
    for (const { own, means, ...found } of this.#signs.values())
      if (!means.includes(own ?? currency))
        return (
          `${this.file}: ${describe(found)} is not in ${own ?? currency}. ` +
          'Set `--currency <code>` (`currency` over REST) to the currency of the old program, or correct the file.'
        );
    return null;
  }
}

function note<K, F extends Tally>(found: Map<K, F>, key: K, first: Omit<F, 'count'>): void {
  const known = found.get(key);
  if (known) known.count += 1;
  else found.set(key, { ...first, count: 1 } as F); // what Omit removed
}

const describe = ({ text, row, count }: Tally): string =>
  `"${text.slice(0, 60)}" (row ${row}${count > 1 ? `, ${count} rows like it` : ''})`;
