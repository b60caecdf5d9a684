import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { AffiliateService } from '../src/index.js';
import { guardCell } from '../src/core/csv.js';
import { minor, toDecimal } from '../src/core/money.js';

const PAGE = 1000;

const csvLine = (cells: readonly (string | number)[]): string => `${cells.map(csvCell).join(',')}\n`;

/** Guards texts of the old system, so that no spreadsheet takes them for formulas. */
function csvCell(cell: string | number): string {
  const isNumber = typeof cell === 'number' || /^-?\d+(?:\.\d+)?$/u.test(cell);
  return isNumber ? String(cell) : `"${guardCell(cell).replaceAll('"', '""')}"`;
}

export interface Lists {
  readonly rows: number;
  readonly withoutLogin: number;
  readonly differing: number;
}

/**
 * Writes into the folder `rows.csv` (every row that was skipped or has a remark, with its reason) and
 * `affiliates.csv` (every affiliate without a login or with other earnings than in the old system).
 */
export async function writeLists(service: AffiliateService, source: string, folder: string): Promise<Lists> {
  await mkdir(folder, { recursive: true });
  const rows = await withFile(join(folder, 'rows.csv'), (file) => writeRows(service, source, file));
  return {
    rows,
    ...(await withFile(join(folder, 'affiliates.csv'), (file) => writeAffiliates(service, source, file))),
  };
}

async function withFile<T>(path: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'w');
  try {
    return await write(file);
  } finally {
    await file.close();
  }
}

const REMARK = ['stage', 'source_id', 'outcome', 'reason', 'affiliate', 'amount', 'currency'] as const;

async function writeRows(service: AffiliateService, source: string, file: FileHandle): Promise<number> {
  await file.write(csvLine([...REMARK, 'what_happened', 'what_to_do']));
  for (let after = 0, count = 0; ;) {
    const rows = await service.imports.remarks(source, after, PAGE);
    const lines = rows.map((row) =>
      csvLine([...REMARK.map((column) => row[column] ?? ''), row.sentence, row.advice]),
    );
    await file.write(lines.join(''));
    count += rows.length;
    if (rows.length < PAGE) return count;
    after = rows.at(-1)?.id ?? after;
  }
}

const AFFILIATE = ['source_id', 'affiliate_id', 'user_id', 'login', 'email', 'currency'] as const;
const TOTALS = {
  total_stated: 'stated_total_minor',
  total_here: 'stored_total_minor',
  unpaid_stated: 'stated_unpaid_minor',
  unpaid_here: 'stored_unpaid_minor',
} as const;

async function writeAffiliates(
  service: AffiliateService,
  source: string,
  file: FileHandle,
): Promise<Omit<Lists, 'rows'>> {
  await file.write(csvLine([...AFFILIATE, ...Object.keys(TOTALS)]));
  let [withoutLogin, differing] = [0, 0];
  for (let cursor: string | null = null; ;) {
    const page = await service.imports.compareAffiliates(source, cursor);
    const listed = page.rows.filter((row) => row.user_id === null || row.differs);
    withoutLogin += listed.filter((row) => row.user_id === null).length;
    differing += listed.filter((row) => row.differs).length;
    const lines = listed.map((row) => {
      const totals = Object.values(TOTALS).map((column) => row[column]);
      return csvLine([
        ...AFFILIATE.map((column) => row[column] ?? ''),
        ...totals.map((amount) => (amount === null ? '' : toDecimal(minor(amount), row.currency))),
      ]);
    });
    await file.write(lines.join(''));
    if (page.done || page.nextCursor === null) return { withoutLogin, differing };
    cursor = page.nextCursor;
  }
}
