import { isCurrency, parseAmount, type Minor } from '../../src/core/money.js';
import { NOTHING } from './amounts.js';
import { fields, text, timeOf, type Fields } from './reading.js';
import { UnreadableField } from '../../src/core/unreadable-field.js';

/** A number below this is a time in seconds. */
const FIRST_MS = 100_000_000_000;

/** Reads the fields of one object; what cannot be read is an error that names the field. */
export class Part {
  constructor(
    readonly of: Fields,
    private readonly path: string,
    readonly currency = '',
  ) {}

  /** A part that has to be there. */
  part(name: string): Part {
    if (!this.has(name)) throw new UnreadableField(this.#name(name), 'missing');
    return new Part(fields(this.of[name]), this.#name(name), this.currency);
  }

  parts(name: string): Part[] {
    const rows: unknown = this.of[name];
    return Array.isArray(rows)
      ? rows.map((row, at) => new Part(fields(row), `${this.#name(name)}.${at}`, this.currency))
      : [];
  }

  /** This part, whose amounts are in the currency that it names. */
  inCurrency(): Part {
    const code = text(this.of['currency']).trim().toUpperCase();
    if (!isCurrency(code)) throw new UnreadableField(this.#name('currency'), 'currency');
    return new Part(this.of, this.path, code);
  }

  has(name: string): boolean {
    return this.of[name] !== undefined && this.of[name] !== null;
  }

  /** Decimal text; 0 when it is absent. A number could be meant in cents, so it is refused. */
  amount(name: string): Minor {
    const value = this.of[name];
    if (!this.has(name) || value === '') return NOTHING;
    const amount = typeof value === 'string' ? parseAmount(value, this.currency) : null;
    if (amount === null) throw new UnreadableField(this.#name(name), 'amount');
    return amount;
  }

  /** Like `amount`, for an amount that has to be there. */
  given(name: string): Minor {
    if (!this.has(name)) throw new UnreadableField(this.#name(name), 'missing');
    return this.amount(name);
  }

  id(name: string): string {
    const id = text(this.of[name]).trim();
    if (id === '') throw new UnreadableField(this.#name(name), 'missing');
    return id;
  }

  /** Epoch milliseconds, or ISO 8601. */
  time(name: string, fallback: number): number {
    const value = this.of[name];
    if (!this.has(name)) return fallback;
    const time = typeof value === 'number' ? value : timeOf(value, Number.NaN);
    if (!Number.isSafeInteger(time) || time < FIRST_MS) throw new UnreadableField(this.#name(name), 'time');
    return time;
  }

  #name(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }
}
