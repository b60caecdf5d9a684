import { stat } from 'node:fs/promises';
import { Rest } from '../../../core/rest.js';
import { currencyDigits, isCurrency } from '../../../core/money.js';
import { nameKey } from '../../../core/text.js';
import { AffiliateError, fail } from '../../../errors.js';
import { importedColumns } from '../../../program/api-schemas.js';
import type {
  BadEmail,
  Migrator,
  ProgramSettings,
  Raw,
  SourceAffiliate,
  SourceBalance,
  SourceCustomer,
  SourceGroup,
  SourcePage,
  SourcePayment,
  SourcePayments,
  SourceReferral,
  SourceVisit,
  SourceWord,
  Stage,
  StageCounts,
  StageRows,
  UnreadContent,
} from '../../../../adapters/imports.js';
import { isBlank, readAmount, readCurrency, readEmailKey, readIdList } from '../../../core/imports/values.js';
import { CHOICES, foldWord, SKIP } from '../../../core/imports/words.js';
import { findColumns, isLinkColumn, type CsvColumns } from './columns.js';
import { Findings } from './findings.js';
import {
  AMOUNTS,
  CSV_FILES,
  COLUMNS,
  PRESETS,
  type CsvFileName,
  type CsvPreset,
  type CsvPresetName,
} from './presets.js';
import { PART, readHeader, readRecords, type CsvHeader } from './reader.js';
import { currencyIn, isAmbiguousDate, plainAmount, plainDate, type CsvForms } from './values.js';
import { BalanceSums } from '../../../core/imports/balance-sums.js';
import { paymentStatus } from '../../../../adapters/imports/fields.js';
import { completedFirst } from '../../../../adapters/imports/source.js';

export interface CsvFile {
  readonly path: string;
  /**
   * Our column → the file's column; without an entry the usual names are looked for (case,
   * blanks, - and _ do not count).
   */
  readonly columns?: Readonly<Record<string, string>>;
}

export interface CsvSource extends CsvForms {
  /** Part of every source key: another name is another source. */
  readonly slug?: string;
  readonly name?: string;
  /** Names, words and forms of a hosted system; `generic` unless given. */
  readonly preset?: CsvPresetName;
  readonly affiliates?: CsvFile;
  readonly customers?: CsvFile;
  readonly commissions?: CsvFile;
  readonly clicks?: CsvFile;
  readonly payouts?: CsvFile;
  readonly coupons?: CsvFile;
  /** Earlier names of `commissions` and `clicks`. */
  readonly referrals?: CsvFile;
  readonly visits?: CsvFile;
  readonly timeZone?: string;
  /** Link variable of the old program, where the preset has none or it was another one. */
  readonly variable?: string;
  /** Status of rows that have none; without it such files are refused. */
  readonly defaultStatus?: Readonly<Partial<Record<StatusFile, string>>>;
  /** The shop whose orders name the coupons, for rows that have no `provider`. */
  readonly couponProvider?: string;
  /** Imports although columns that old links may use are not read. */
  readonly ignoreLinkColumns?: boolean;
}

type Fields = (column: string) => string | null;
interface RowReader {
  readonly field: Fields;
  /** Where the row begins, in bytes. */
  readonly at: number;
  /** Used as id where the row has none. */
  readonly place: string;
}

const SCAN = 5000;
const PREVIEWED = 5;
/** Columns that a file must have. */
const NEEDED: Readonly<Record<CsvFileName, readonly (readonly string[])[]>> = {
  affiliates: [['id', 'email', 'login', 'custom_param']],
  customers: [['id', 'email']],
  commissions: [['amount'], ['affiliate_id', 'affiliate_email', 'affiliate_token']],
  clicks: [['affiliate_id', 'affiliate_email', 'affiliate_token']],
  payouts: [['amount'], ['affiliate_id', 'affiliate_email', 'affiliate_token']],
  coupons: [['code'], ['affiliate_id', 'affiliate_email', 'affiliate_token']],
};
/** The files whose rows have a status. */
const WORD_STAGES = { affiliates: 'affiliates', commissions: 'referrals', payouts: 'payouts' } as const;
export type StatusFile = keyof typeof WORD_STAGES;
const STATUS_FILES = Object.keys(WORD_STAGES) as readonly StatusFile[];
const ID_MAX = 80;

interface Commission {
  readonly affiliate: string;
  readonly currency: string | null;
  readonly amount: string;
  readonly status: string;
  readonly payout: string | null;
}

/** What one pass over the files found; cached while they do not change. */
interface FilesSurvey {
  readonly counts: Record<CsvFileName, number>;
  readonly words: Map<string, SourceWord>;
  readonly shops: Map<string, number>;
  readonly unread: UnreadContent[];
  readonly groups: Map<string, string>;
  readonly findings: Map<CsvFileName, Findings>;
  /** Rows whose id an earlier row of the file has: file and place → number of the row. */
  readonly repeated: Map<string, number>;
  readonly linkColumns: string[];
  readonly currencies: Set<string>;
  ambiguous: string | null;
  /** E-mail address or token → id of the affiliate. */
  readonly affiliates: Map<string, string>;
  readonly coupons: Map<string, { provider: string; code: string }[]>;
  /** Customer → commissions; payout → commissions. */
  readonly byCustomer: Map<string, string[]>;
  readonly byPayout: Map<string, string[]>;
  readonly openPayouts: Set<string>;
  readonly commissions: Commission[];
  readonly payments: Pick<Commission, 'affiliate' | 'currency' | 'amount' | 'status'>[];
}
type Survey = Readonly<FilesSurvey>;

/**
 * Files of affiliates, customers, commissions, clicks, payouts and coupons;
 * any may be missing (docs/moving-in.md).
 */
export function csvMigrator(source: CsvSource): Migrator {
  const files = new CsvFiles(source);
  const slug = source.slug ?? 'csv';
  const money = files.has('commissions') || files.has('payouts');
  return {
    slug,
    name: source.name ?? 'CSV files',
    ...(source.timeZone === undefined ? {} : { timeZone: source.timeZone }),
    isReadAnew: true,
    isAvailable: () => files.areThere(),
    check: () => files.check(),
    checkCurrency: (currency) => files.checkCurrency(currency),
    emails: () => files.emails(),
    statesEarnings: true,
    ...(money && { program: () => files.program() }),
    ...(files.variable === null ? {} : { links: () => ({ variables: [files.variable ?? ''], cookies: [] }) }),
    words: async () => [...(await files.survey()).words.values()],
    shops: async () => [...(await files.survey()).shops].map(([name, rows]) => ({ name, rows })),
    unread: async () => (await files.survey()).unread,
    ...(files.has('commissions') && {
      balances: files.balances.bind(files),
    }),
    ...(files.has('payouts') && {
      payments: files.payments.bind(files),
    }),
    counts: async () => {
      const { counts, groups } = await files.survey();
      const found: Partial<StageCounts> = {};
      if (groups.size > 0) found.affiliate_groups = groups.size;
      for (const [file, stage] of Object.entries(STAGE_OF))
        if (files.has(file as CsvFileName)) found[stage] = counts[file as CsvFileName];
      return found;
    },
    migrate: async <S extends Stage>(stage: S, cursor: string | null, limit: number) =>
      (await files.page(stage, cursor, limit)) as SourcePage<StageRows[S]>,
  };
}

/** The first rows of files and how their columns are read. */
export interface CsvPreview {
  readonly files: Readonly<
    Partial<
      Record<
        CsvFileName,
        {
          /** Ours, which the file's can be mapped to. */
          readonly ours: readonly string[];
          /** As in the file. */
          readonly columns: readonly string[];
          /** Our column → the file's. */
          readonly mapping: Readonly<Record<string, string>>;
          readonly rows: readonly Readonly<Record<string, string>>[];
        }
      >
    >
  >;
  /** What a person has to choose before the import can begin; null when nothing. */
  readonly problem: string | null;
  /** E-mail addresses that cannot be used, of each file at most a hundred. */
  readonly emails: readonly BadEmail[];
  /** Columns that old links may use and that are not read. */
  readonly link_columns: readonly string[];
}

/**
 * Reads the first rows of each file. 422 `import_file_invalid` for a file that is
 * none, or a misspelled mapping.
 */
export const csvPreview = (source: CsvSource): Promise<CsvPreview> => new CsvFiles(source).preview();

const STAGE_OF = {
  affiliates: 'affiliates',
  commissions: 'referrals',
  customers: 'customers',
  payouts: 'payouts',
  clicks: 'visits',
} as const satisfies Partial<Record<CsvFileName, Stage>>;
const FILE_OF = Object.fromEntries(Object.entries(STAGE_OF).map(([file, stage]) => [stage, file])) as Partial<
  Record<Stage, CsvFileName>
>;

class CsvFiles {
  readonly variable: string | null;
  readonly #given: ReadonlyMap<CsvFileName, CsvFile>;
  readonly #preset: CsvPreset;
  readonly #source: CsvSource;
  readonly #forms: CsvForms;
  readonly #headers = new Map<CsvFileName, Promise<CsvHeader>>();
  #survey: { readonly stamp: string; readonly found: Promise<Survey> } | undefined;

  constructor(source: CsvSource) {
    this.#source = source;
    this.#preset = PRESETS[source.preset ?? 'generic'];
    this.variable = source.variable ?? this.#preset.variable;
    const mark = source.decimalMark ?? this.#preset.decimalMark;
    this.#forms = {
      minorUnits: source.minorUnits ?? this.#preset.minorUnits ?? false,
      ...(mark !== undefined && { decimalMark: mark }),
      ...(source.dates !== undefined && { dates: source.dates }),
    };
    const given = {
      ...source,
      commissions: source.commissions ?? source.referrals,
      clicks: source.clicks ?? source.visits,
    };
    this.#given = new Map(
      CSV_FILES.map((name) => [name, given[name]] as const).filter(
        (entry): entry is readonly [CsvFileName, CsvFile] => entry[1] !== undefined,
      ),
    );
  }

  has(file: CsvFileName): boolean {
    return this.#given.has(file);
  }

  async areThere(): Promise<boolean> {
    for (const { path } of this.#given.values())
      if (
        !(await stat(path).then(
          (found) => found.isFile(),
          () => false,
        ))
      )
        return false;
    return this.#given.size > 0;
  }

  /** Everything that would have to be guessed, before anything is read into the program. */
  async check(): Promise<void> {
    for (const name of this.#given.keys()) {
      const { places, problem } = await this.#columns(name);
      if (problem !== null) refuse(problem);
      for (const any of NEEDED[name])
        if (!any.some((column) => places.has(column)))
          refuse(
            `${name}: no column for ${any.join(' or ')}. Name it: ` +
              `--map ${name}.${any[0] ?? ''}=<column> (\`columns\` over REST).`,
          );
    }
    const survey = await this.survey();
    const problem =
      this.#dateProblem(survey) ??
      firstProblem(survey, (findings) => findings.problem()) ??
      this.#statusProblem(survey) ??
      this.#couponProblem(survey) ??
      this.#linkProblem(survey);
    if (problem !== null) refuse(problem);
  }

  #dateProblem({ ambiguous }: Survey): string | null {
    if (ambiguous === null || this.#forms.dates !== undefined) return null;
    return (
      `Dates such as ${ambiguous} can be read in two ways. ` +
      'Say --dates day-first or --dates month-first (`dates` over REST).'
    );
  }

  #statusProblem({ findings }: Survey): string | null {
    for (const file of STATUS_FILES) {
      const choices = [...CHOICES[WORD_STAGES[file]], SKIP];
      const status = this.#source.defaultStatus?.[file];
      const rows = findings.get(file)?.withoutStatus ?? 0;
      if (status === undefined ? rows > 0 : !choices.includes(status))
        return (
          `${file}: ${rows} ${rows === 1 ? 'row has' : 'rows have'} no status. ` +
          `Say it: --default-status ${file}=<status> (\`default_status\` over REST), one of ${choices.join(', ')}.`
        );
    }
    return null;
  }

  #couponProblem({ findings }: Survey): string | null {
    const rows = findings.get('coupons')?.withoutProvider ?? 0;
    if (rows === 0 || this.#source.couponProvider !== undefined) return null;
    return (
      `coupons: ${rows} ${rows === 1 ? 'row does' : 'rows do'} not say whose coupon it is. ` +
      'Say the shop, such as woo or stripe: --coupon-provider <name> (`coupon_provider` over REST).'
    );
  }

  #linkProblem({ linkColumns }: Survey): string | null {
    if (linkColumns.length === 0 || this.#source.ignoreLinkColumns === true) return null;
    return (
      `affiliates: old links may use ${linkColumns.map((name) => `"${name}"`).join(', ')}, which is not read. ` +
      'Read a column with --map affiliates.custom_param=<column> or --map affiliates.other_links=<column> ' +
      '(`columns` over REST), or confirm with --ignore-link-columns (`ignore_link_columns`).'
    );
  }

  /** Amounts that are not in the currency their rows have; `currency` is that of rows without one. */
  async checkCurrency(currency: string): Promise<void> {
    const survey = await this.survey();
    const problem = firstProblem(survey, (findings) => findings.signProblem(currency));
    if (problem !== null) refuse(problem);
    const isUnsure = [...survey.findings.values()].some(({ withoutCurrency }) => withoutCurrency > 0);
    if (this.#forms.minorUnits === true && currencyDigits(currency) !== 2 && isUnsure)
      refuse('Amounts in smallest units need a column `currency`, unless the currency has two decimals.');
  }

  async emails(): Promise<BadEmail[]> {
    return [...(await this.survey()).findings.values()].flatMap(({ emails }) => emails);
  }

  async preview(): Promise<CsvPreview> {
    const files: Record<string, unknown> = {};
    for (const name of this.#given.keys()) {
      const header = await this.#header(name);
      const places = await this.#places(name);
      const records = await readRecords(
        this.#given.get(name)?.path ?? '',
        header.end,
        PREVIEWED,
        header.delimiter,
      );
      files[name] = {
        ours: Object.keys(COLUMNS[name]),
        columns: header.names,
        mapping: Object.fromEntries([...places].map(([ours, at]) => [ours, header.names[at] ?? ''])),
        rows: records.map(({ fields }) =>
          Object.fromEntries(header.names.map((column, at) => [column, (fields[at] ?? '').slice(0, 500)])),
        ),
      };
    }
    const problem = await this.check().then(
      () => null,
      (error: unknown) => {
        if (error instanceof AffiliateError && error.code === 'import_file_invalid') return error.message;
        throw error;
      },
    );
    if (problem !== null && !(await this.#isMapped()))
      return { files, problem, emails: [], link_columns: [] };
    const { linkColumns } = await this.survey();
    return { files, problem, emails: await this.emails(), link_columns: linkColumns };
  }

  async #isMapped(): Promise<boolean> {
    for (const name of this.#given.keys()) if ((await this.#columns(name)).problem !== null) return false;
    return true;
  }

  async program(): Promise<ProgramSettings> {
    const { currencies } = await this.survey();
    const [only] = currencies;
    return {
      currency: currencies.size === 1 ? (only ?? null) : null,
      referral_variable: this.variable,
      time_zone: null,
    };
  }

  /** The file's columns by ours. */
  async #places(name: CsvFileName): Promise<ReadonlyMap<string, number>> {
    const { places, problem } = await this.#columns(name);
    // with two columns that could be meant, the first one is shown
    if (problem !== null && places.size === 0) refuse(problem);
    return places;
  }

  async #columns(file: CsvFileName): Promise<CsvColumns> {
    const { names } = await this.#header(file);
    return findColumns({
      file,
      names,
      preset: this.#preset,
      mapped: this.#given.get(file)?.columns ?? {},
    });
  }

  #header(name: CsvFileName): Promise<CsvHeader> {
    const known = this.#headers.get(name) ?? readHeader(this.#given.get(name)?.path ?? '');
    this.#headers.set(name, known);
    return known;
  }

  async #stamp(): Promise<string> {
    const parts: string[] = [];
    for (const { path } of this.#given.values()) {
      const found = await stat(path).catch(() => null);
      parts.push(`${path} ${found?.size ?? 0} ${found?.mtimeMs ?? 0}`);
    }
    return parts.join('\n');
  }

  async survey(): Promise<Survey> {
    const stamp = await this.#stamp();
    if (this.#survey?.stamp !== stamp) {
      this.#headers.clear();
      this.#survey = { stamp, found: this.#look() };
    }
    return this.#survey.found;
  }

  async #look(): Promise<Survey> {
    const found: FilesSurvey = {
      counts: Object.fromEntries(CSV_FILES.map((name) => [name, 0])) as Record<CsvFileName, number>,
      words: new Map(),
      shops: new Map(),
      unread: [],
      groups: new Map(),
      findings: new Map(),
      repeated: new Map(),
      linkColumns: [],
      currencies: new Set(),
      ambiguous: null,
      affiliates: new Map(),
      coupons: new Map(),
      byCustomer: new Map(),
      byPayout: new Map(),
      openPayouts: new Set(),
      commissions: [],
      payments: [],
    };
    for (const name of CSV_FILES) {
      if (!this.has(name)) continue;
      const filled = new Map<number, number>();
      const findings = new Findings(name, this.#forms);
      found.findings.set(name, findings);
      const ids = new Set<string>();
      await this.#each(name, (read, fields) => {
        found.counts[name] += 1;
        for (const [at, text] of fields.entries())
          if (text.trim() !== '') filled.set(at, (filled.get(at) ?? 0) + 1);
        const row = found.counts[name] + 1; // the first row of the file has the names
        const date = read.field('created_at');
        if (date !== null && isAmbiguousDate(date)) found.ambiguous ??= date;
        findings.look(read.field, row);
        const id = rowId(name, read);
        if (ids.has(id)) found.repeated.set(`${name} ${read.at}`, row);
        ids.add(id);
        this.#note(found, name, read);
      });
      await this.#noteUnread(found, name, filled);
    }
    return found;
  }

  /** Filled columns that nothing reads; old links may use some of them. */
  async #noteUnread(
    found: FilesSurvey,
    name: CsvFileName,
    filled: ReadonlyMap<number, number>,
  ): Promise<void> {
    const used = new Set((await this.#places(name)).values());
    for (const [at, column] of (await this.#header(name)).names.entries()) {
      const rows = filled.get(at) ?? 0;
      if (used.has(at) || rows === 0) continue;
      found.unread.push({ table: name, column: column || `column ${at + 1}`, rows });
      if (name === 'affiliates' && isLinkColumn(column)) found.linkColumns.push(column);
    }
  }

  #note(found: FilesSurvey, name: CsvFileName, read: RowReader): void {
    const { field } = read;
    const isRepeated = found.repeated.has(`${name} ${read.at}`);
    switch (name) {
      case 'affiliates':
        this.#noteWord(found, name, field);
        if (!isRepeated) noteAffiliate(found, read);
        break;
      case 'commissions':
        this.#noteWord(found, name, field);
        noteCurrency(found, field);
        this.#noteCommission(found, read, isRepeated);
        break;
      case 'payouts':
        noteCurrency(found, field);
        this.#notePayout(found, read);
        break;
      case 'coupons':
        this.#noteCoupon(found, field);
        break;
      default:
    }
  }

  /** The word a file has for the status of a row. */
  #noteWord(found: FilesSurvey, name: keyof typeof WORD_STAGES, field: Fields): string {
    const word = this.#word(name, field('status'));
    if (word === '') return word;
    const key = `${name} ${word}`;
    found.words.set(key, { stage: WORD_STAGES[name], word, count: (found.words.get(key)?.count ?? 0) + 1 });
    return word;
  }

  /** A repeated row is skipped, and counts in the old system's figures. */
  #noteCommission(found: FilesSurvey, { field, place }: RowReader, isRepeated: boolean): void {
    const id = field('id') ?? place;
    const payout = field('payout_id');
    if (!isRepeated) {
      for (const buyer of [field('customer_id'), readEmailKey(field('customer_email'))])
        if (buyer !== null) push(found.byCustomer, nameKey(buyer), id);
      noteShop(found, field('provider'));
      if (payout !== null) push(found.byPayout, payout, id);
    }
    found.commissions.push({
      affiliate: affiliateRef(field, found.affiliates) ?? '',
      currency: readCurrency(field('currency') ?? currencyIn(field('amount') ?? '')),
      amount: field('amount') ?? '',
      status: this.#word('commissions', field('status')),
      payout,
    });
  }

  #notePayout(found: FilesSurvey, { field, place }: RowReader): void {
    const status = this.#noteWord(found, 'payouts', field);
    if (status === 'processing') found.openPayouts.add(field('id') ?? place);
    found.payments.push({
      affiliate: affiliateRef(field, found.affiliates) ?? '',
      currency: readCurrency(field('currency') ?? currencyIn(field('amount') ?? '')),
      amount: field('amount') ?? '',
      status,
    });
  }

  #noteCoupon(found: FilesSurvey, field: Fields): void {
    const provider = field('provider') ?? this.#source.couponProvider ?? '';
    noteShop(found, provider || null);
    const owner = affiliateRef(field, found.affiliates);
    if (owner !== null) push(found.coupons, owner, { provider, code: field('code') ?? '' });
  }

  async #each(name: CsvFileName, work: (read: RowReader, fields: readonly string[]) => void): Promise<void> {
    const header = await this.#header(name);
    const places = await this.#places(name);
    const rest = new Rest();
    for (let from = header.end; ;) {
      const records = await readRecords(this.#given.get(name)?.path ?? '', from, SCAN, header.delimiter);
      for (const [index, { fields, at }] of records.entries()) {
        work(readOf(fields, places, at), fields);
        if (index % PART === 0) await rest.take();
      }
      if (records.length < SCAN) return;
      from = records.at(-1)?.end ?? from;
    }
  }

  /** Our word for a status of the file; '' for a row without one, until a person chooses its meaning. */
  #word(file: StatusFile, value: string | null): string {
    if (value === null) return this.#source.defaultStatus?.[file] ?? '';
    const word = foldWord(value);
    return this.#preset.words[file][word] ?? word;
  }

  async balances(
    ids: readonly string[],
    currency: string,
    words: Readonly<Record<string, string>>,
  ): Promise<SourceBalance[]> {
    const wanted = new Set(ids);
    const { commissions, openPayouts } = await this.survey();
    const sums = new BalanceSums();
    for (const { affiliate, currency: named, amount, status: written, payout } of commissions) {
      const status = words[written] ?? written;
      if (!wanted.has(affiliate) || (status !== 'paid' && status !== 'unpaid')) continue;
      const own = named ?? currency;
      const isOpen = payout !== null && openPayouts.has(payout);
      sums.add(
        affiliate,
        own,
        isOpen ? 'processing' : status,
        this.#minor(await this.#formsOf('commissions'), amount, own),
      );
    }
    return sums.list();
  }

  /** The paid and processing payments of these affiliates in the file. */
  async payments(
    ids: readonly string[],
    currency: string,
    words: Readonly<Record<string, string>>,
  ): Promise<SourcePayments[]> {
    const wanted = new Set(ids);
    const forms = await this.#formsOf('payouts');
    const sums = new BalanceSums();
    for (const { affiliate, currency: named, amount, status: written } of (await this.survey()).payments) {
      const word = words[written] ?? written;
      if (!wanted.has(affiliate) || word === 'failed' || word === SKIP) continue;
      const own = named ?? currency;
      sums.add(affiliate, own, 'paid', this.#minor(forms, amount, own));
    }
    return sums
      .list()
      .map(({ source_id, currency: own, paid_minor: minor }) => ({ source_id, currency: own, minor }));
  }

  #minor(forms: CsvForms, amount: string, currency: string): number {
    return readAmount(plainAmount(amount, currency, forms), currency) ?? 0;
  }

  /** How amounts of a file are written; its cells show the decimal mark where none was chosen. */
  async #formsOf(name: CsvFileName): Promise<CsvForms> {
    const mark = (await this.survey()).findings.get(name)?.decimalMark ?? null;
    return mark === null ? this.#forms : { ...this.#forms, decimalMark: mark };
  }

  async page(stage: Stage, cursor: string | null, limit: number): Promise<SourcePage<StageRows[Stage]>> {
    if (stage === 'affiliate_groups') return this.#groups(cursor, limit);
    const name = FILE_OF[stage];
    if (name === undefined || !this.has(name)) return { rows: [], nextCursor: null, done: true };
    const read = (after: string | null): Promise<SourcePage<StageRows[Stage]>> =>
      this.#rows(name, after, limit);
    // the type checker does not see that the rows are payments here
    return stage === 'payouts' ? completedFirst(cursor, read as never) : read(cursor);
  }

  async #rows(
    name: CsvFileName,
    cursor: string | null,
    limit: number,
  ): Promise<SourcePage<StageRows[Stage]>> {
    const survey = await this.survey();
    const header = await this.#header(name);
    const places = await this.#places(name);
    // the byte where the page starts, and the line of the row before it
    const [from = header.end, line = 1] = cursor === null ? [] : cursor.split('-').map(Number);
    const records = await readRecords(this.#given.get(name)?.path ?? '', from, limit, header.delimiter);
    const forms = await this.#formsOf(name);
    const rows = records.map(({ fields, at }, index) => {
      const read = this.#row(name, readOf(fields, places, at), { survey, forms });
      const row = { ...read, line: line + index + 1 };
      const repeated = survey.repeated.get(`${name} ${at}`);
      return repeated === undefined
        ? row
        : { ...row, id: `${row.id.slice(0, ID_MAX)} (row ${repeated})`, problem: 'id_repeated' };
    });
    const end = records.at(-1)?.end;
    return {
      rows,
      nextCursor: end === undefined ? null : `${end}-${line + records.length}`,
      done: records.length < limit,
    };
  }

  #row(name: CsvFileName, read: RowReader, known: FileForms): StageRows[Stage] {
    switch (name) {
      case 'affiliates':
        return this.#affiliate(read, known);
      case 'commissions':
        return this.#commission(read, known);
      case 'customers':
        return this.#customer(read, known);
      case 'payouts':
        return this.#payout(read, known);
      default:
        return this.#click(read, known);
    }
  }

  async #groups(cursor: string | null, limit: number): Promise<SourcePage<SourceGroup>> {
    const { groups } = this.has('affiliates') ? await this.survey() : { groups: new Map<string, string>() };
    const from = Number(cursor ?? 0);
    const page = [...groups].slice(from, from + limit);
    return {
      rows: page.map(([id, name]) => ({ id, name, rate_type: 'default' })),
      nextCursor: String(from + page.length),
      done: page.length < limit,
    };
  }

  #date(field: Fields): Raw {
    const text = field('created_at');
    return text === null ? text : plainDate(text, this.#forms);
  }

  #affiliate({ field, place }: RowReader, { survey, forms }: FileForms): SourceAffiliate {
    const id = idOf(field, place);
    const email = field('email');
    const rate = field('rate')?.replace('%', '').trim() ?? null;
    const group = field('group');
    const type = foldWord(field('rate_type'));
    return {
      id,
      status: this.#word('affiliates', field('status')),
      note: field('note'),
      columns: Object.fromEntries(importedColumns.map((column) => [column, field(column)])),
      custom_param: field('custom_param'),
      group_id: group === null ? null : nameKey(group),
      user: userOf(field),
      rate_type: rateTypeOf(type, rate, group),
      rate,
      payment_email: field('payment_email') ?? email,
      bank_details: field('bank_details'),
      coupons: [...(survey.coupons.get(id) ?? [])],
      aliases: linksIn(field('other_links'), this.variable).map((value) => ({
        kind: 'token' as const,
        value,
      })),
      ...Object.fromEntries(
        (AMOUNTS.affiliates ?? []).map((column) => [column, amountOf(field, column, forms)]),
      ),
      custom_fields: Object.fromEntries(
        ['company', 'website', 'phone', 'country'].map((column) => [column, field(column)]),
      ),
      created_at: this.#date(field),
    };
  }

  #commission({ field, place }: RowReader, { survey, forms }: FileForms): SourceReferral {
    return {
      id: field('id') ?? place,
      affiliate_id: affiliateRef(field, survey.affiliates),
      parent_id: field('parent_id'),
      status: this.#word('commissions', field('status')),
      amount: amountOf(field, 'amount', forms),
      order_total: amountOf(field, 'order_total', forms),
      currency: field('currency') ?? currencyIn(field('amount') ?? ''),
      description: field('description'),
      provider: field('provider'),
      provider_id: field('provider_id'),
      provider_sub_id: field('provider_sub_id'),
      utm_campaign: field('utm_campaign'),
      type: field('type'),
      created_at: this.#date(field),
    };
  }

  #customer({ field, place }: RowReader, { survey }: FileForms): SourceCustomer {
    const email = field('email');
    const id = field('id') ?? readEmailKey(email) ?? place;
    const [first, ...rest] = (field('full_name') ?? '').split(' ').filter(Boolean);
    const affiliate = affiliateRef(field, survey.affiliates);
    const orders = [id, readEmailKey(email)].flatMap((key) =>
      key === null ? [] : (survey.byCustomer.get(nameKey(key)) ?? []),
    );
    return {
      id,
      email,
      first_name: field('first_name') ?? first ?? null,
      last_name: field('last_name') ?? (rest.join(' ') || null),
      affiliate_id: affiliate,
      referral_ids: [...new Set(orders)],
      ...(affiliate === null && orders.length === 0 && { notes: ['customer_without_affiliate'] }),
      created_at: this.#date(field),
    };
  }

  #payout({ field, place }: RowReader, { survey, forms }: FileForms): SourcePayment {
    const id = field('id') ?? place;
    const date = this.#date(field);
    const listed = (field('commission_ids') ?? '').split(/[\s,;|]+/u).filter(Boolean);
    return {
      id,
      affiliate_id: affiliateRef(field, survey.affiliates),
      amount: amountOf(field, 'amount', forms),
      currency: field('currency'),
      method: field('method'),
      status: paymentStatus(this.#word('payouts', field('status'))),
      referral_ids: [...new Set([...listed, ...(survey.byPayout.get(id) ?? [])])],
      created_at: date,
      batch: {
        id: field('batch') ?? `payout-${id}`.slice(0, 120),
        title: field('title'),
        created_at: date,
      },
    };
  }

  #click({ field, place }: RowReader, { survey }: FileForms): SourceVisit {
    return {
      id: field('id') ?? place,
      affiliate_id: affiliateRef(field, survey.affiliates),
      referral_ids: readIdList(field('referral_id')),
      url: field('url'),
      referrer: field('referrer'),
      campaign: field('utm_campaign'),
      medium: field('utm_medium'),
      source: field('utm_source'),
      ip: field('ip'),
      created_at: this.#date(field),
    };
  }
}

const refuse = (message: string): never => fail('import_file_invalid', { message });

/** The findings in all files, and how the amounts of this one are written. */
interface FileForms {
  readonly survey: Survey;
  readonly forms: CsvForms;
}

function firstProblem({ findings }: Survey, problemOf: (findings: Findings) => string | null): string | null {
  for (const each of findings.values()) {
    const problem = problemOf(each);
    if (problem !== null) return problem;
  }
  return null;
}

const readOf = (fields: readonly string[], places: ReadonlyMap<string, number>, at: number): RowReader => ({
  field: (column) => unguarded(fields[places.get(column) ?? -1]?.trim() ?? '') || null,
  at,
  place: `at-${at}`,
});

/** Our own exports put an apostrophe before what a spreadsheet would run. */
const unguarded = (text: string): string => (/^'\s*[=+\-@＝＋－＠\t\r]/u.test(text) ? text.slice(1) : text);

const idOf = (field: Fields, place: string): string =>
  field('id') ?? readEmailKey(field('email')) ?? field('custom_param') ?? place;

/** What the row is known by in its file. */
function rowId(name: CsvFileName, { field, place }: RowReader): string {
  if (name === 'affiliates') return idOf(field, place);
  if (name === 'customers') return field('id') ?? readEmailKey(field('email')) ?? place;
  return name === 'coupons' ? place : (field('id') ?? place);
}

function amountOf(field: Fields, column: string, forms: CsvForms): Raw {
  const text = field(column);
  const currency = readCurrency(field('currency')) ?? currencyIn(text ?? '') ?? 'USD';
  return text === null ? null : plainAmount(text, isCurrency(currency) ? currency : 'USD', forms);
}

/** Values of old links, or the links themselves. */
function linksIn(text: string | null, variable: string | null): string[] {
  return (text ?? '').split(/[\s,;|]+/u).flatMap((part) => {
    const url = /^https?:/iu.test(part) ? URL.parse(part) : null;
    const value = url === null ? part : variable === null ? null : url.searchParams.get(variable);
    return value === null || value === '' ? [] : [value];
  });
}

function noteShop(found: FilesSurvey, shop: string | null): void {
  if (shop !== null) found.shops.set(shop, (found.shops.get(shop) ?? 0) + 1);
}

const tokensOf = (field: Fields): string[] =>
  [field('custom_param'), field('login')].filter((token) => token !== null);

/** By id, else by e-mail address, else by token. */
function affiliateRef(field: Fields, known: ReadonlyMap<string, string>): string | null {
  const id = field('affiliate_id');
  if (id !== null) return id;
  const email = readEmailKey(field('affiliate_email'));
  if (email !== null) return known.get(nameKey(email)) ?? email;
  const token = field('affiliate_token');
  return token === null ? null : (known.get(nameKey(token)) ?? token);
}

function rateTypeOf(type: string, rate: string | null, group: string | null): string {
  if (type === 'group' || (group !== null && isBlank(rate))) return 'group';
  if (isBlank(rate) || type === 'default') return 'default';
  return ['flat', 'fixed', 'fixed_amount', 'amount'].includes(type) ? 'flat' : 'percentage';
}

/** The login of an affiliate; null where the file names neither e-mail address nor login. */
function userOf(field: Fields): SourceAffiliate['user'] {
  const [email, login] = [field('email'), field('login')];
  if (email === null && login === null) return null;
  const [first, ...rest] = (field('full_name') ?? '').split(' ').filter(Boolean);
  return {
    email,
    login,
    first_name: field('first_name') ?? first ?? null,
    last_name: field('last_name') ?? (rest.join(' ') || null),
  };
}

function noteCurrency(found: FilesSurvey, field: Fields): void {
  const currency = readCurrency(field('currency') ?? currencyIn(field('amount') ?? ''));
  if (currency !== null) found.currencies.add(currency);
}

function noteAffiliate(found: FilesSurvey, { field, place }: RowReader): void {
  const id = idOf(field, place);
  for (const value of [readEmailKey(field('email')), ...tokensOf(field)])
    if (value !== null && !found.affiliates.has(nameKey(value))) found.affiliates.set(nameKey(value), id);
  const group = field('group');
  if (group !== null && !found.groups.has(nameKey(group))) found.groups.set(nameKey(group), group);
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
