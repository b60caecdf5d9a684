import { nameKey } from '../../../core/text.js';
import { foldWord } from '../../../core/imports/words.js';
import { readCurrency, readEmailKey } from '../../../core/imports/values.js';
import type { Raw } from '../../../../adapters/imports.js';
import type { CsvFileName } from './presets.js';
import type { CsvRecord } from './reader.js';
import type { CsvSettings, StatusFile } from './source.js';
import { currencyIn, plainAmount, plainDate, type CsvForms } from './values.js';

/** What a row is read with. */
interface Reading {
  readonly settings: CsvSettings;
  /** Our column → its place in the file. */
  readonly places: ReadonlyMap<string, number>;
  /** How the amounts of the file are written. */
  readonly forms: CsvForms;
}

/** A row of a file by our columns. */
export class CsvRow {
  constructor(
    readonly file: CsvFileName,
    private readonly record: CsvRecord,
    private readonly reading: Reading,
  ) {}

  /** The text of a column; null where it is empty. */
  field(column: string): string | null {
    const text = this.cells[this.reading.places.get(column) ?? -1]?.trim() ?? '';
    return unguarded(text) || null;
  }

  /** The cells as they are in the file. */
  get cells(): readonly string[] {
    return this.record.fields;
  }

  /** Where the row begins, in bytes. */
  get at(): number {
    return this.record.at;
  }

  /** What the row is known by in its file; without an id, its place. */
  get id(): string {
    const place = `at-${this.at}`;
    const own = this.field('id');
    switch (this.file) {
      case 'affiliates':
        return own ?? readEmailKey(this.field('email')) ?? this.field('custom_param') ?? place;
      case 'customers':
        return own ?? readEmailKey(this.field('email')) ?? place;
      default:
        return own ?? place;
    }
  }

  /** The affiliate that the row names by id, else by e-mail address, else by token. */
  affiliate(known: ReadonlyMap<string, string>): string | null {
    const email = this.field('affiliate_email');
    const name = readEmailKey(email) ?? this.field('affiliate_token') ?? email;
    return this.field('affiliate_id') ?? (name === null ? null : (known.get(nameKey(name)) ?? name));
  }

  /** Our word for the status; '' for a row without one, until a person chooses its meaning. */
  status(file: StatusFile): string {
    const { preset, defaultStatus } = this.reading.settings;
    const status = this.field('status');
    if (status === null) return defaultStatus[file] ?? '';
    const word = foldWord(status);
    return preset.words[file][word] ?? word;
  }

  get names(): { readonly first_name: string | null; readonly last_name: string | null } {
    const [first, ...rest] = (this.field('full_name') ?? '').split(' ').filter(Boolean);
    return {
      first_name: this.field('first_name') ?? first ?? null,
      last_name: this.field('last_name') ?? (rest.join(' ') || null),
    };
  }

  /** The currency of the row, or the code beside its amount. */
  get currency(): string | null {
    return this.field('currency') ?? currencyIn(this.field('amount') ?? '');
  }

  amount(column: string): Raw {
    const text = this.field(column);
    const currency = readCurrency(this.field('currency')) ?? currencyIn(text ?? '') ?? 'USD';
    return text === null ? null : plainAmount(text, currency, this.reading.forms);
  }

  get date(): Raw {
    const text = this.field('created_at');
    return text === null ? null : plainDate(text, this.reading.forms);
  }

  /** The shop of a coupon; '' where it is unknown. */
  get couponProvider(): string {
    return this.field('provider') ?? this.reading.settings.couponProvider ?? '';
  }

  /** Values of old links that the row has beside its token; the column may have the links themselves. */
  get oldLinks(): string[] {
    const { variable } = this.reading.settings;
    return this.list('other_links').flatMap((part) => {
      const url = /^https?:/iu.test(part) ? URL.parse(part) : null;
      const value = url === null ? part : variable === null ? null : url.searchParams.get(variable);
      return value ? [value] : [];
    });
  }

  /** The parts of a column that holds several values. */
  list(column: string): string[] {
    return (this.field(column) ?? '').split(/[\s,;|]+/u).filter(Boolean);
  }
}

/** Our own exports put an apostrophe before what a spreadsheet would run. */
const unguarded = (text: string): string => (/^'\s*[=+\-@＝＋－＠\t\r]/u.test(text) ? text.slice(1) : text);
