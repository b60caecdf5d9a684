import { nameKey } from '../../../core/text.js';
import { readCurrency, readEmailKey } from '../../../core/imports/values.js';
import type { SourceCoupon, SourceWord, UnreadContent } from '../../../../adapters/imports.js';
import { isLinkColumn } from './columns.js';
import type { CsvFiles } from './files.js';
import { Findings } from './findings.js';
import type { CsvFileName } from './presets.js';
import type { CsvRow } from './row.js';
import { STATUS_STAGES, type CsvSettings, type StatusFile } from './source.js';
import { isAmbiguousDate } from './values.js';

interface FileSurvey {
  rows: number;
  readonly findings: Findings;
  /** Rows whose id an earlier row has: the byte where the row begins → its number. */
  readonly repeated: Map<number, number>;
}

/** What a commission or a payment adds to the old system's figures. */
export interface Earning {
  readonly affiliate: string;
  readonly currency: string | null;
  readonly amount: string;
  readonly status: string;
  /** Of a commission: the payment that paid it. */
  readonly payout: string | null;
}

/** What one pass over the files found. */
export class Survey {
  readonly files = new Map<CsvFileName, FileSurvey>();
  readonly words = new Map<string, SourceWord>();
  readonly shops = new Map<string, number>();
  readonly unread: UnreadContent[] = [];
  readonly linkColumns: string[] = [];
  readonly groups = new Map<string, string>();
  readonly currencies = new Set<string>();
  /** A date whose day and month cannot be distinguished. */
  ambiguous: string | null = null;
  /** E-mail address or token → id of the affiliate. */
  readonly affiliates = new Map<string, string>();
  readonly coupons = new Map<string, SourceCoupon[]>();
  /** Customer → commissions; payout → commissions. */
  readonly byCustomer = new Map<string, string[]>();
  readonly byPayout = new Map<string, string[]>();
  readonly openPayouts = new Set<string>();
  readonly earnings: Readonly<Record<'commissions' | 'payouts', Earning[]>> = {
    commissions: [],
    payouts: [],
  };
}

export async function surveyOf(files: CsvFiles, { forms }: CsvSettings): Promise<Survey> {
  const survey = new Survey();
  for (const name of files.names) {
    const file: FileSurvey = { rows: 0, findings: new Findings(name, forms), repeated: new Map() };
    survey.files.set(name, file);
    const ids = new Set<string>();
    const filled = new Map<number, number>();
    await files.each(name, (row) => {
      file.rows += 1;
      const number = file.rows + 1; // the first row of the file has the names
      for (const [at, text] of row.cells.entries()) if (text.trim() !== '') count(filled, at);
      file.findings.look(row, number);
      const date = row.field('created_at');
      if (date !== null && isAmbiguousDate(date)) survey.ambiguous ??= date;
      const { id } = row;
      const isRepeated = ids.has(id);
      if (isRepeated) file.repeated.set(row.at, number);
      ids.add(id);
      NOTES[name]?.(survey, row, isRepeated);
    });
    await noteUnread(survey, files, { name, filled });
  }
  return survey;
}

/** What the rows of each file say about those of others. */
const NOTES: Partial<Record<CsvFileName, (survey: Survey, row: CsvRow, isRepeated: boolean) => void>> = {
  affiliates: (survey, row, isRepeated) => {
    noteStatus(survey, 'affiliates', row);
    if (isRepeated) return;
    const email = row.field('email'); // what is no address still names its row in other files
    for (const value of [readEmailKey(email) ?? email, row.field('custom_param'), row.field('login')])
      if (value !== null) noteFirst(survey.affiliates, value, row.id);
    const group = row.field('group');
    if (group !== null) noteFirst(survey.groups, group, group);
  },
  /** A repeated row is skipped, and counts in the old system's figures. */
  commissions: (survey, row, isRepeated) => {
    noteEarning(survey, 'commissions', row);
    if (isRepeated) return;
    for (const buyer of [row.field('customer_id'), readEmailKey(row.field('customer_email'))])
      if (buyer !== null) push(survey.byCustomer, nameKey(buyer), row.id);
    const [shop, payout] = [row.field('provider'), row.field('payout_id')];
    if (shop !== null) count(survey.shops, shop);
    if (payout !== null) push(survey.byPayout, payout, row.id);
  },
  payouts: (survey, row) => {
    const status = noteEarning(survey, 'payouts', row);
    if (status === 'processing') survey.openPayouts.add(row.id);
  },
  coupons: (survey, row) => {
    const provider = row.couponProvider;
    if (provider !== '') count(survey.shops, provider);
    const owner = row.affiliate(survey.affiliates);
    if (owner !== null) push(survey.coupons, owner, { provider, code: row.field('code') ?? '' });
  },
};

function noteStatus(survey: Survey, file: StatusFile, row: CsvRow): string {
  const word = row.status(file);
  const key = `${file} ${word}`;
  const known = survey.words.get(key)?.count ?? 0;
  if (word !== '') survey.words.set(key, { stage: STATUS_STAGES[file], word, count: known + 1 });
  return word;
}

function noteEarning(survey: Survey, file: 'commissions' | 'payouts', row: CsvRow): string {
  const status = noteStatus(survey, file, row);
  const currency = readCurrency(row.currency);
  if (currency !== null) survey.currencies.add(currency);
  survey.earnings[file].push({
    affiliate: row.affiliate(survey.affiliates) ?? '',
    currency,
    amount: row.field('amount') ?? '',
    status,
    payout: row.field('payout_id'),
  });
  return status;
}

/** Filled columns that nothing reads; old links may use some of them. */
async function noteUnread(
  survey: Survey,
  files: CsvFiles,
  { name, filled }: { readonly name: CsvFileName; readonly filled: ReadonlyMap<number, number> },
): Promise<void> {
  const used = new Set((await files.places(name)).values());
  for (const [at, column] of (await files.header(name)).names.entries()) {
    const rows = filled.get(at) ?? 0;
    if (used.has(at) || rows === 0) continue;
    survey.unread.push({ table: name, column: column || `column ${at + 1}`, rows });
    if (name === 'affiliates' && isLinkColumn(column)) survey.linkColumns.push(column);
  }
}

function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function noteFirst(found: Map<string, string>, name: string, value: string): void {
  if (!found.has(nameKey(name))) found.set(nameKey(name), value);
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
