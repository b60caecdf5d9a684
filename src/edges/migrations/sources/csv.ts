import { stat } from 'node:fs/promises';
import { isCurrency } from '../../../core/money.js';
import { nameKey } from '../../../core/text.js';
import { AffiliateError, fail } from '../../../errors.js';
import { importedColumns } from '../../../wire-records.js';
import type {
  Migrator,
  ProgramSettings,
  Raw,
  SourceAffiliate,
  SourceBalance,
  SourceCustomer,
  SourceGroup,
  SourcePage,
  SourcePayment,
  SourceReferral,
  SourceVisit,
  SourceWord,
  Stage,
  StageCounts,
  StageRows,
  UnreadContent,
} from '../types.js';
import { isBlank, readAmount, readCurrency, readEmailKey, readIdList } from '../values.js';
import { foldWord } from '../words.js';
import {
  CSV_FILES,
  COLUMNS,
  PRESETS,
  type CsvFileName,
  type CsvPreset,
  type CsvPresetName,
} from './csv-presets.js';
import { readHeader, readRecords, type CsvHeader } from './csv-reader.js';
import { currencyIn, isAmbiguousDate, plainAmount, plainDate, type CsvForms } from './csv-values.js';
import { BalanceSums, completedFirst, paymentStatus } from './source.js';

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
}

type Fields = (column: string) => string | null;
interface Read {
  readonly field: Fields;
  /** Stands for an id where the row has none. */
  readonly place: string;
}

const SCAN = 5000;
const PREVIEWED = 5;
/** Columns without which a file says nothing. */
const NEEDED: Readonly<Record<CsvFileName, readonly (readonly string[])[]>> = {
  affiliates: [['id', 'email', 'login', 'custom_param']],
  customers: [['id', 'email']],
  commissions: [['amount'], ['affiliate_id', 'affiliate_email', 'affiliate_token']],
  clicks: [['affiliate_id', 'affiliate_email', 'affiliate_token']],
  payouts: [['amount'], ['affiliate_id', 'affiliate_email', 'affiliate_token']],
  coupons: [['code'], ['affiliate_id', 'affiliate_email', 'affiliate_token']],
};
const WORD_STAGES = { affiliates: 'affiliates', commissions: 'referrals', payouts: 'payouts' } as const;

interface Commission {
  readonly affiliate: string;
  readonly currency: string | null;
  readonly amount: string;
  readonly status: string;
  readonly payout: string | null;
}

/** What one pass over the files found; kept while they stay the same. */
interface Looking {
  readonly counts: Record<CsvFileName, number>;
  readonly words: Map<string, SourceWord>;
  readonly shops: Map<string, number>;
  readonly unread: UnreadContent[];
  readonly groups: Map<string, string>;
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
}
type Survey = Readonly<Looking>;

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
    ...(money && { program: () => files.program() }),
    ...(files.variable === null ? {} : { links: () => ({ variables: [files.variable ?? ''], cookies: [] }) }),
    words: async () => [...(await files.survey()).words.values()],
    shops: async () => [...(await files.survey()).shops].map(([name, rows]) => ({ name, rows })),
    unread: async () => (await files.survey()).unread,
    ...(files.has('commissions') && {
      balances: files.balances.bind(files),
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
          /** As they stand in the file. */
          readonly columns: readonly string[];
          /** Our column → the file's. */
          readonly mapping: Readonly<Record<string, string>>;
          readonly rows: readonly Readonly<Record<string, string>>[];
        }
      >
    >
  >;
  /** What has to be said before the import can begin; null when nothing has. */
  readonly problem: string | null;
}

/**
 * Reads the first rows of each file. 422 `import_file_invalid` for a file that is
 * none, or a misspelt mapping.
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
  readonly #forms: CsvForms;
  readonly #headers = new Map<CsvFileName, Promise<CsvHeader>>();
  #survey: { readonly stamp: string; readonly found: Promise<Survey> } | undefined;

  constructor(source: CsvSource) {
    this.#preset = PRESETS[source.preset ?? 'generic'];
    this.variable = source.variable ?? this.#preset.variable;
    this.#forms = {
      minorUnits: source.minorUnits ?? this.#preset.minorUnits ?? false,
      decimalMark: source.decimalMark ?? this.#preset.decimalMark ?? 'point',
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

  /** Files, mappings, needed columns and dates, before anything is read into the program. */
  async check(): Promise<void> {
    for (const name of this.#given.keys()) {
      const places = await this.#places(name);
      for (const any of NEEDED[name])
        if (!any.some((column) => places.has(column)))
          refuse(
            `${name}: no column for ${any.join(' or ')}. Name it: ` +
              `--map ${name}.${any[0] ?? ''}=<column> (\`columns\` over REST).`,
          );
    }
    const { ambiguous } = await this.survey();
    if (ambiguous !== null && this.#forms.dates === undefined)
      refuse(
        `Dates such as ${ambiguous} can be read in two ways. ` +
          'Say --dates day-first or --dates month-first (`dates` over REST).',
      );
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
    return { files, problem };
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

  /** The file's columns by ours. A mapping that names none is a mistake worth stopping for. */
  async #places(name: CsvFileName): Promise<Map<string, number>> {
    const { names } = await this.#header(name);
    const known = { ...COLUMNS[name] };
    const mapped = this.#given.get(name)?.columns ?? {};
    const places = new Map<string, number>();
    for (const [ours, theirs] of Object.entries(mapped)) {
      if (!Object.hasOwn(known, ours))
        refuse(`${name}: there is no column "${ours}" here. There are: ${Object.keys(known).join(', ')}.`);
      const at = names.findIndex((each) => fold(each) === fold(theirs));
      if (at < 0) refuse(`${name}: the CSV file has no column "${theirs}". It has: ${names.join(', ')}.`);
      places.set(ours, at);
    }
    for (const [ours, usual] of Object.entries(known)) {
      if (places.has(ours)) continue;
      const used = new Set(places.values());
      const at = firstNamed(names, [...this.#presetNames(name, ours), ours, ...usual], used);
      if (at !== undefined) places.set(ours, at);
    }
    return places;
  }

  #presetNames(name: CsvFileName, column: string): readonly string[] {
    return this.#preset.columns?.[name]?.[column] ?? [];
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
    const found: Looking = {
      counts: Object.fromEntries(CSV_FILES.map((name) => [name, 0])) as Record<CsvFileName, number>,
      words: new Map(),
      shops: new Map(),
      unread: [],
      groups: new Map(),
      currencies: new Set(),
      ambiguous: null,
      affiliates: new Map(),
      coupons: new Map(),
      byCustomer: new Map(),
      byPayout: new Map(),
      openPayouts: new Set(),
      commissions: [],
    };
    for (const name of CSV_FILES) {
      if (!this.has(name)) continue;
      const filled = new Map<number, number>();
      await this.#each(name, ({ field, place }, fields) => {
        found.counts[name] += 1;
        for (const [at, text] of fields.entries())
          if (text.trim() !== '') filled.set(at, (filled.get(at) ?? 0) + 1);
        const date = field('created_at');
        if (date !== null && isAmbiguousDate(date)) found.ambiguous ??= date;
        this.#note(found, name, { field, place });
      });
      const used = new Set((await this.#places(name)).values());
      for (const [at, column] of (await this.#header(name)).names.entries()) {
        const rows = filled.get(at) ?? 0;
        if (!used.has(at) && rows > 0)
          found.unread.push({ table: name, column: column || `column ${at + 1}`, rows });
      }
    }
    return found;
  }

  #note(found: Looking, name: CsvFileName, read: Read): void {
    const { field, place } = read;
    switch (name) {
      case 'affiliates':
        this.#noteWord(found, name, field);
        noteAffiliate(found, read);
        break;
      case 'commissions':
        this.#noteWord(found, name, field);
        noteCurrency(found, field);
        this.#noteCommission(found, read);
        break;
      case 'payouts':
        noteCurrency(found, field);
        if (this.#noteWord(found, name, field) === 'processing') found.openPayouts.add(field('id') ?? place);
        break;
      case 'coupons':
        noteCoupon(found, field);
        break;
      default:
    }
  }

  /** The word a file has for the status of a row. */
  #noteWord(found: Looking, name: keyof typeof WORD_STAGES, field: Fields): string {
    const word = this.#word(name, field('status'));
    const key = `${name} ${word}`;
    found.words.set(key, { stage: WORD_STAGES[name], word, count: (found.words.get(key)?.count ?? 0) + 1 });
    return word;
  }

  #noteCommission(found: Looking, { field, place }: Read): void {
    const id = field('id') ?? place;
    for (const buyer of [field('customer_id'), readEmailKey(field('customer_email'))])
      if (buyer !== null) push(found.byCustomer, nameKey(buyer), id);
    const shop = field('provider');
    if (shop !== null) found.shops.set(shop, (found.shops.get(shop) ?? 0) + 1);
    const payout = field('payout_id');
    if (payout !== null) push(found.byPayout, payout, id);
    found.commissions.push({
      affiliate: affiliateRef(field, found.affiliates) ?? '',
      currency: readCurrency(field('currency') ?? currencyIn(field('amount') ?? '')),
      amount: field('amount') ?? '',
      status: this.#word('commissions', field('status')),
      payout,
    });
  }

  async #each(name: CsvFileName, work: (read: Read, fields: readonly string[]) => void): Promise<void> {
    const header = await this.#header(name);
    const places = await this.#places(name);
    for (let from = header.end; ;) {
      const records = await readRecords(this.#given.get(name)?.path ?? '', from, SCAN, header.delimiter);
      for (const { fields, at } of records) work(readOf(fields, places, at), fields);
      if (records.length < SCAN) return;
      from = records.at(-1)?.end ?? from;
    }
  }

  /** Our word for a status of the file; a file without statuses means the ordinary one. */
  #word(file: 'affiliates' | 'commissions' | 'payouts', value: string | null): string {
    if (value === null) return { affiliates: 'active', commissions: 'unpaid', payouts: 'paid' }[file];
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
        readAmount(plainAmount(amount, own, this.#forms), own) ?? 0,
      );
    }
    return sums.list();
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
    const from = cursor === null ? header.end : Number(cursor);
    const records = await readRecords(this.#given.get(name)?.path ?? '', from, limit, header.delimiter);
    const rows = records.map(({ fields, at }) => this.#row(name, readOf(fields, places, at), survey));
    const end = records.at(-1)?.end;
    return { rows, nextCursor: end === undefined ? null : String(end), done: records.length < limit };
  }

  #row(name: CsvFileName, read: Read, survey: Survey): StageRows[Stage] {
    switch (name) {
      case 'affiliates':
        return this.#affiliate(read, survey);
      case 'commissions':
        return this.#commission(read, survey);
      case 'customers':
        return this.#customer(read, survey);
      case 'payouts':
        return this.#payout(read, survey);
      default:
        return this.#click(read, survey);
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

  #amount(field: Fields, column: string): Raw {
    const text = field(column);
    const currency = readCurrency(field('currency')) ?? currencyIn(text ?? '') ?? 'USD';
    return text === null ? null : plainAmount(text, isCurrency(currency) ? currency : 'USD', this.#forms);
  }

  #affiliate({ field, place }: Read, survey: Survey): SourceAffiliate {
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
      custom_fields: Object.fromEntries(
        ['company', 'website', 'phone', 'country'].map((column) => [column, field(column)]),
      ),
      created_at: this.#date(field),
    };
  }

  #commission({ field, place }: Read, survey: Survey): SourceReferral {
    return {
      id: field('id') ?? place,
      affiliate_id: affiliateRef(field, survey.affiliates),
      parent_id: field('parent_id'),
      status: this.#word('commissions', field('status')),
      amount: this.#amount(field, 'amount'),
      order_total: this.#amount(field, 'order_total'),
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

  #customer({ field, place }: Read, survey: Survey): SourceCustomer {
    const email = field('email');
    const id = field('id') ?? readEmailKey(email) ?? place;
    const [first, ...rest] = (field('full_name') ?? '').split(' ').filter(Boolean);
    const orders = [id, readEmailKey(email)].flatMap((key) =>
      key === null ? [] : (survey.byCustomer.get(nameKey(key)) ?? []),
    );
    return {
      id,
      email,
      first_name: field('first_name') ?? first ?? null,
      last_name: field('last_name') ?? (rest.join(' ') || null),
      affiliate_id: affiliateRef(field, survey.affiliates),
      referral_ids: [...new Set(orders)],
      created_at: this.#date(field),
    };
  }

  #payout({ field, place }: Read, survey: Survey): SourcePayment {
    const id = field('id') ?? place;
    const date = this.#date(field);
    const listed = (field('commission_ids') ?? '').split(/[\s,;|]+/u).filter(Boolean);
    return {
      id,
      affiliate_id: affiliateRef(field, survey.affiliates),
      amount: this.#amount(field, 'amount'),
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

  #click({ field, place }: Read, survey: Survey): SourceVisit {
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

const fold = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]+/gu, '');

const readOf = (fields: readonly string[], places: ReadonlyMap<string, number>, at: number): Read => ({
  field: (column) => unguarded(fields[places.get(column) ?? -1]?.trim() ?? '') || null,
  place: `at-${at}`,
});

/** Our own exports put an apostrophe before what a spreadsheet would run. */
const unguarded = (text: string): string => (/^'\s*[=+\-@＝＋－＠\t\r]/u.test(text) ? text.slice(1) : text);

const idOf = (field: Fields, place: string): string =>
  field('id') ?? readEmailKey(field('email')) ?? field('custom_param') ?? place;

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

/** Where the first of the wanted names stands that no other column has taken. */
function firstNamed(
  names: readonly string[],
  wanted: readonly string[],
  taken: ReadonlySet<number>,
): number | undefined {
  return wanted
    .map((each) => names.findIndex((name, at) => !taken.has(at) && fold(name) === fold(each)))
    .find((at) => at >= 0);
}

function noteCurrency(found: Looking, field: Fields): void {
  const currency = readCurrency(field('currency') ?? currencyIn(field('amount') ?? ''));
  if (currency !== null) found.currencies.add(currency);
}

function noteCoupon(found: Looking, field: Fields): void {
  const owner = affiliateRef(field, found.affiliates);
  if (owner !== null)
    push(found.coupons, owner, { provider: field('provider') ?? 'coupon', code: field('code') ?? '' });
}

function noteAffiliate(found: Looking, { field, place }: Read): void {
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
