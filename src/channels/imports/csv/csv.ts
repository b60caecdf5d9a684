import { currencyDigits } from '../../../core/money.js';
import { BalanceSums } from '../../../core/imports/balance-sums.js';
import { readAmount } from '../../../core/imports/values.js';
import { CHOICES, SKIP } from '../../../core/imports/words.js';
import { AffiliateError } from '../../../errors.js';
import type {
  BadEmail,
  Migrator,
  ProgramSettings,
  SourceBalance,
  SourceGroup,
  SourcePage,
  SourcePayments,
  Stage,
  StageCounts,
  StageRows,
} from '../../../../adapters/imports.js';
import { completedFirst } from '../../../../adapters/imports/source.js';
import { CsvFiles, refuse } from './files.js';
import type { Findings } from './findings.js';
import { COLUMNS, type CsvFileName } from './presets.js';
import { RECORD_FILES, recordOf, stageOf, type RecordFile } from './rows.js';
import { settingsOf, STATUS_FILES, STATUS_STAGES, type CsvSettings, type CsvSource } from './source.js';
import { surveyOf, type Earning, type Survey } from './survey.js';
import { plainAmount, type CsvForms } from './values.js';

const PREVIEWED = 5;
const ID_MAX = 80;
const AFFILIATE = ['affiliate_id', 'affiliate_email', 'affiliate_token'];
/** Columns that a file must have. */
const NEEDED: Readonly<Record<CsvFileName, readonly (readonly string[])[]>> = {
  affiliates: [['id', 'email', 'login', 'custom_param']],
  customers: [['id', 'email']],
  commissions: [['amount'], AFFILIATE],
  clicks: [AFFILIATE],
  payouts: [['amount'], AFFILIATE],
  coupons: [['code'], AFFILIATE],
};

/**
 * Files of affiliates, customers, commissions, clicks, payouts and coupons;
 * any may be missing (docs/moving-in.md).
 */
export function csvMigrator(source: CsvSource): Migrator {
  const csv = new CsvImport(source);
  const { variable, files } = csv.settings;
  const [hasCommissions, hasPayouts] = [files.has('commissions'), files.has('payouts')];
  return {
    slug: source.slug ?? 'csv',
    name: source.name ?? 'CSV files',
    timeZone: source.timeZone,
    isReadAnew: true,
    statesEarnings: true,
    isAvailable: () => csv.isAvailable(),
    check: () => csv.check(),
    checkCurrency: (currency) => csv.checkCurrency(currency),
    emails: () => csv.emails(),
    words: async () => [...(await csv.survey()).words.values()],
    shops: async () => [...(await csv.survey()).shops].map(([name, rows]) => ({ name, rows })),
    unread: async () => (await csv.survey()).unread,
    counts: () => csv.counts(),
    migrate: async <S extends Stage>(stage: S, cursor: string | null, limit: number) =>
      (await csv.page(stage, cursor, limit)) as SourcePage<StageRows[S]>,
    ...(variable !== null && { links: () => ({ variables: [variable], cookies: [] }) }),
    ...((hasCommissions || hasPayouts) && { program: () => csv.program() }),
    ...(hasCommissions && { balances: csv.balances.bind(csv) }),
    ...(hasPayouts && { payments: csv.payments.bind(csv) }),
  };
}

/** A choice that only a person can make, for pages that offer it. */
export interface CsvQuestion {
  readonly about: 'dates' | 'status' | 'coupons' | 'links';
  /** The file it is about; '' for all of them. */
  readonly file: string;
  /** How many of its rows need the choice. */
  readonly rows: number;
}
interface CsvProblem {
  readonly text: string;
  /** Null when the files themselves are wrong. */
  readonly question: CsvQuestion | null;
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
  /** The same choice, when it is one of those that pages offer. */
  readonly question: CsvQuestion | null;
  /** Files with rows that have no status, while none was chosen for them. */
  readonly without_status: readonly { readonly file: string; readonly rows: number }[];
  /** E-mail addresses that cannot be used, of each file at most a hundred. */
  readonly emails: readonly BadEmail[];
  /** Columns that old links may use and that are not read. */
  readonly link_columns: readonly string[];
}

/**
 * Reads the first rows of each file. 422 `import_file_invalid` for a file that is
 * none, or a misspelled mapping.
 */
export const csvPreview = (source: CsvSource): Promise<CsvPreview> => new CsvImport(source).preview();

class CsvImport {
  readonly settings: CsvSettings;
  readonly #files: CsvFiles;
  #survey: { readonly stamp: string; readonly found: Promise<Survey> } | undefined;

  constructor(private readonly source: CsvSource) {
    this.settings = settingsOf(source);
    this.#files = new CsvFiles(this.settings);
  }

  async isAvailable(): Promise<boolean> {
    const stamps = await this.#files.stamps();
    return stamps.length > 0 && !stamps.includes(null);
  }

  /** Reads all files once, and again when they have changed. */
  async survey(): Promise<Survey> {
    const stamp = (await this.#files.stamps()).join('\n');
    if (this.#survey?.stamp !== stamp) {
      this.#files.forgetHeaders();
      this.#survey = { stamp, found: surveyOf(this.#files, this.settings) };
    }
    return this.#survey.found;
  }

  /** Everything that would have to be guessed, before anything is read into the program. */
  async check(): Promise<void> {
    const problem = await this.#problem();
    if (problem !== null) refuse(problem.text);
  }

  async #problem(): Promise<CsvProblem | null> {
    for (const name of this.#files.names) {
      const { places, problem } = await this.#files.columns(name);
      if (problem !== null) refuse(problem);
      for (const any of NEEDED[name])
        if (!any.some((column) => places.has(column)))
          refuse(
            `${name}: no column for ${any.join(' or ')}. ` +
              `Set \`--map ${name}.${any[0] ?? ''}=<column>\` (\`columns\` over REST).`,
          );
    }
    const survey = await this.survey();
    const broken = firstProblem(survey, (findings) => findings.problem());
    return (
      this.#dateProblem(survey) ??
      (broken === null ? null : { text: broken, question: null }) ??
      this.#statusProblem(survey) ??
      this.#couponProblem(survey) ??
      this.#linkProblem(survey)
    );
  }

  #dateProblem({ ambiguous }: Survey): CsvProblem | null {
    if (ambiguous === null || this.source.dates !== undefined) return null;
    return {
      text:
        `Dates such as ${ambiguous} are ambiguous. ` +
        'Set `--dates day-first` or `--dates month-first` (`dates` over REST).',
      question: { about: 'dates', file: '', rows: 0 },
    };
  }

  #statusProblem({ files }: Survey): CsvProblem | null {
    for (const file of STATUS_FILES) {
      const choices = [...CHOICES[STATUS_STAGES[file]], SKIP];
      const status = this.settings.defaultStatus[file];
      const rows = files.get(file)?.findings.withoutStatus ?? 0;
      if (status === undefined ? rows > 0 : !choices.includes(status))
        return {
          text:
            `${file}: ${rows} ${rows === 1 ? 'row has' : 'rows have'} no status. ` +
            `Set \`--default-status ${file}=<status>\` (\`default_status\` over REST) to one of: ${choices.join(', ')}.`,
          question: { about: 'status', file, rows },
        };
    }
    return null;
  }

  #couponProblem({ files }: Survey): CsvProblem | null {
    const rows = files.get('coupons')?.findings.withoutProvider ?? 0;
    if (rows === 0 || this.settings.couponProvider !== null) return null;
    return {
      text:
        `coupons: ${rows} ${rows === 1 ? 'row has' : 'rows have'} no provider. ` +
        'Set `--coupon-provider <name>` (`coupon_provider` over REST) to the shop, such as woo or stripe.',
      question: { about: 'coupons', file: 'coupons', rows },
    };
  }

  #linkProblem({ linkColumns }: Survey): CsvProblem | null {
    if (linkColumns.length === 0 || this.source.ignoreLinkColumns === true) return null;
    return {
      text:
        `affiliates: old links may use ${linkColumns.map((name) => `"${name}"`).join(', ')}, which is not read. ` +
        'Set `--map affiliates.custom_param=<column>` or `--map affiliates.other_links=<column>` (`columns` over REST) ' +
        'to read a column, or confirm with `--ignore-link-columns` (`ignore_link_columns`).',
      question: { about: 'links', file: 'affiliates', rows: 0 },
    };
  }

  /** Amounts that are not in the currency their rows have; `currency` is that of rows without one. */
  async checkCurrency(currency: string): Promise<void> {
    const survey = await this.survey();
    const problem = firstProblem(survey, (findings) => findings.signProblem(currency));
    if (problem !== null) refuse(problem);
    const isUnsure = [...survey.files.values()].some(({ findings }) => findings.withoutCurrency > 0);
    if (this.settings.forms.minorUnits === true && currencyDigits(currency) !== 2 && isUnsure)
      refuse('Amounts in smallest units need a column `currency`, unless the currency has two decimals.');
  }

  async emails(): Promise<BadEmail[]> {
    return [...(await this.survey()).files.values()].flatMap(({ findings }) => findings.emails);
  }

  async preview(): Promise<CsvPreview> {
    const files: Record<string, unknown> = {};
    for (const name of this.#files.names) {
      const { names } = await this.#files.header(name);
      const places = await this.#files.places(name);
      const records = await this.#files.records(name, null, PREVIEWED);
      files[name] = {
        ours: Object.keys(COLUMNS[name]),
        columns: names,
        mapping: Object.fromEntries([...places].map(([ours, at]) => [ours, names[at] ?? ''])),
        rows: records.map(({ fields }) =>
          Object.fromEntries(names.map((column, at) => [column, (fields[at] ?? '').slice(0, 500)])),
        ),
      };
    }
    const found = await this.#problem().catch((error: unknown) => {
      if (error instanceof AffiliateError && error.code === 'import_file_invalid')
        return { text: error.message, question: null };
      throw error;
    });
    const [problem, question] = [found?.text ?? null, found?.question ?? null];
    if (problem !== null && !(await this.#isMapped()))
      return { files, problem, question, without_status: [], emails: [], link_columns: [] };
    const survey = await this.survey();
    return {
      files,
      problem,
      question,
      without_status: STATUS_FILES.filter((file) => this.settings.defaultStatus[file] === undefined)
        .map((file) => ({ file, rows: survey.files.get(file)?.findings.withoutStatus ?? 0 }))
        .filter(({ rows }) => rows > 0),
      emails: await this.emails(),
      link_columns: survey.linkColumns,
    };
  }

  async #isMapped(): Promise<boolean> {
    for (const name of this.#files.names)
      if ((await this.#files.columns(name)).problem !== null) return false;
    return true;
  }

  async program(): Promise<ProgramSettings> {
    const { currencies } = await this.survey();
    const [only] = currencies;
    return {
      currency: currencies.size === 1 ? (only ?? null) : null,
      referral_variable: this.settings.variable,
      time_zone: null,
    };
  }

  async counts(): Promise<Partial<StageCounts>> {
    const { files, groups } = await this.survey();
    const found: Partial<StageCounts> = groups.size > 0 ? { affiliate_groups: groups.size } : {};
    for (const file of RECORD_FILES)
      if (this.#files.has(file)) found[stageOf(file)] = files.get(file)?.rows ?? 0;
    return found;
  }

  async balances(
    ids: readonly string[],
    currency: string,
    words: Readonly<Record<string, string>>,
  ): Promise<SourceBalance[]> {
    const { openPayouts } = await this.survey();
    return this.#sums('commissions', { ids, currency }, ({ status: word, payout }) => {
      const status = words[word] ?? word;
      if (status !== 'paid' && status !== 'unpaid') return null;
      return payout !== null && openPayouts.has(payout) ? 'processing' : status;
    });
  }

  /** The paid and processing payments of these affiliates in the file. */
  async payments(
    ids: readonly string[],
    currency: string,
    words: Readonly<Record<string, string>>,
  ): Promise<SourcePayments[]> {
    const sums = await this.#sums('payouts', { ids, currency }, ({ status: word }) => {
      const status = words[word] ?? word;
      return status === 'failed' || status === SKIP ? null : 'paid';
    });
    return sums.map(({ source_id, currency: own, paid_minor: minor }) => ({
      source_id,
      currency: own,
      minor,
    }));
  }

  /** Adds up the rows of a file by affiliate and currency. */
  async #sums(
    file: 'commissions' | 'payouts',
    { ids, currency }: { readonly ids: readonly string[]; readonly currency: string },
    countedAs: (earning: Earning) => 'unpaid' | 'processing' | 'paid' | null,
  ): Promise<SourceBalance[]> {
    const wanted = new Set(ids);
    const forms = await this.#formsOf(file);
    const sums = new BalanceSums();
    for (const earning of (await this.survey()).earnings[file]) {
      const counted = wanted.has(earning.affiliate) ? countedAs(earning) : null;
      if (counted === null) continue;
      const own = earning.currency ?? currency;
      const minor = readAmount(plainAmount(earning.amount, own, forms), own);
      sums.add(earning.affiliate, own, counted, minor ?? 0);
    }
    return sums.list();
  }

  /** How amounts of a file are written; its cells show the decimal mark where none was chosen. */
  async #formsOf(name: CsvFileName): Promise<CsvForms> {
    const mark = (await this.survey()).files.get(name)?.findings.decimalMark ?? null;
    return mark === null ? this.settings.forms : { ...this.settings.forms, decimalMark: mark };
  }

  async page(stage: Stage, cursor: string | null, limit: number): Promise<SourcePage<StageRows[Stage]>> {
    if (stage === 'affiliate_groups') return this.#groups(cursor, limit);
    const name = RECORD_FILES.find((file) => stageOf(file) === stage);
    if (name === undefined || !this.#files.has(name)) return { rows: [], nextCursor: null, done: true };
    const read = (after: string | null): Promise<SourcePage<StageRows[Stage]>> =>
      this.#records(name, after, limit);
    // the type checker does not see that the rows are payments here
    return stage === 'payouts' ? completedFirst(cursor, read as never) : read(cursor);
  }

  async #records(
    name: RecordFile,
    cursor: string | null,
    limit: number,
  ): Promise<SourcePage<StageRows[Stage]>> {
    const survey = await this.survey();
    // the byte where the page starts, and the line of the row before it
    const [from = null, line = 1] = cursor === null ? [] : cursor.split('-').map(Number);
    const found = await this.#files.records(name, from, limit);
    const rows = (await this.#files.rows(name, found, await this.#formsOf(name))).map((row, index) => {
      const record = { ...recordOf(name, row, survey), line: line + index + 1 };
      const repeated = survey.files.get(name)?.repeated.get(row.at);
      return repeated === undefined
        ? record
        : { ...record, id: `${row.id.slice(0, ID_MAX)} (row ${repeated})`, problem: 'id_repeated' };
    });
    const end = found.at(-1)?.end;
    return {
      rows,
      nextCursor: end === undefined ? null : `${end}-${line + found.length}`,
      done: found.length < limit,
    };
  }

  async #groups(cursor: string | null, limit: number): Promise<SourcePage<SourceGroup>> {
    const groups = [...(await this.survey()).groups];
    const from = Number(cursor ?? 0);
    const page = groups.slice(from, from + limit);
    return {
      rows: page.map(([id, name]) => ({ id, name, rate_type: 'default' })),
      nextCursor: String(from + page.length),
      done: page.length < limit,
    };
  }
}

function firstProblem({ files }: Survey, problemOf: (findings: Findings) => string | null): string | null {
  for (const { findings } of files.values()) {
    const problem = problemOf(findings);
    if (problem !== null) return problem;
  }
  return null;
}
