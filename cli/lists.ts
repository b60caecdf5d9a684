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

async function writeRows(service: AffiliateService, source: string, file: FileHandle): Promise<number> {
  await file.write(
    csvLine([
      'stage',
      'source_id',
      'outcome',
      'reason',
      'affiliate',
      'amount',
      'currency',
      'what_happened',
      'what_to_do',
    ]),
  );
  for (let after = 0, count = 0; ;) {
    const rows = await service.imports.remarks(source, after, PAGE);
    await file.write(
      rows
        .map((row) =>
          csvLine([
            row.stage,
            row.source_id,
            row.outcome,
            row.reason,
            row.affiliate ?? '',
            row.amount ?? '',
            row.currency ?? '',
            row.sentence,
            row.advice,
          ]),
        )
        .join(''),
    );
    count += rows.length;
    if (rows.length < PAGE) return count;
    after = rows.at(-1)?.id ?? after;
  }
}

async function writeAffiliates(
  service: AffiliateService,
  source: string,
  file: FileHandle,
): Promise<Omit<Lists, 'rows'>> {
  await file.write(
    csvLine([
      'source_id',
      'affiliate_id',
      'user_id',
      'login',
      'email',
      'currency',
      'total_stated',
      'total_here',
      'unpaid_stated',
      'unpaid_here',
    ]),
  );
  let [withoutLogin, differing] = [0, 0];
  for (let cursor: string | null = null; ;) {
    const page = await service.imports.compareAffiliates(source, cursor);
    const listed = page.rows.filter((row) => row.user_id === null || row.differs);
    withoutLogin += listed.filter((row) => row.user_id === null).length;
    differing += listed.filter((row) => row.differs).length;
    await file.write(
      listed
        .map((row) => {
          const money = (amount: number | null): string =>
            amount === null ? '' : toDecimal(minor(amount), row.currency);
          return csvLine([
            row.source_id,
            row.affiliate_id ?? '',
            row.user_id ?? '',
            row.login ?? '',
            row.email ?? '',
            row.currency,
            money(row.stated_total_minor),
            money(row.stored_total_minor),
            money(row.stated_unpaid_minor),
            money(row.stored_unpaid_minor),
          ]);
        })
        .join(''),
    );
    if (page.done || page.nextCursor === null) return { withoutLogin, differing };
    cursor = page.nextCursor;
  }
}
