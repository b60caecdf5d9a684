import { isEmail } from '../../../core/address.js';
import { isCurrency } from '../../../core/money.js';
import type { BadEmail } from '../../../../adapters/imports.js';
import { AMOUNTS, EMAILS, type CsvFileName } from './presets.js';
import { currencySign, shapeOf, type AmountShape, type CsvForms, type DecimalMark } from './values.js';

type Fields = (column: string) => string | null;

/** How often something was found, and where first. */
interface Tally {
  count: number;
  readonly text: string;
  readonly row: number;
}

const MAX_REPORTED = 100;

/** Questions and mistakes that one pass over a file found, to be settled before the file can be read. */
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

  look(field: Fields, row: number): void {
    this.#emails(field, row);
    const named = field('currency');
    if (named !== null && !isCurrency(named.toUpperCase()))
      note(this.#currencies, named, { text: named, row });
    for (const column of AMOUNTS[this.file] ?? []) {
      const text = field(column);
      if (text !== null) this.#amount(text, named, row);
    }
    if (field('status') === null) this.withoutStatus += 1;
    if (field('provider') === null) this.withoutProvider += 1;
  }

  #emails(field: Fields, row: number): void {
    for (const column of EMAILS[this.file]) {
      const value = field(column);
      if (value !== null && !isEmail(value) && this.emails.length < MAX_REPORTED)
        this.emails.push({ rows: this.file, row: String(row), column, value: value.slice(0, 191) });
    }
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
      return `${this.file}: ${describe(unknown)} is no currency of ISO 4217. Correct it in the file.`;
    const bad = this.#shapes.get(null);
    if (bad !== undefined)
      return `${this.file}: ${describe(bad)} cannot be read as an amount. Correct it in the file.`;
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
      `${this.file}: amounts such as ${either?.text ?? ''} can be read in two ways. ` +
      'Say --decimal point or --decimal comma (`decimal` over REST).'
    );
  }

  /** A sign beside an amount that is not the currency of its row; `currency` is that of rows without one. */
  signProblem(currency: string): string | null {
    for (const { own, means, ...found } of this.#signs.values())
      if (!means.includes(own ?? currency))
        return (
          `${this.file}: ${describe(found)} is not in ${own ?? currency}. ` +
          'Say the currency of the old program (--currency, or `currency` over REST), or correct the file.'
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
