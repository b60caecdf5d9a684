import type { ReactNode } from 'react';
import { csvText } from '../../../src/core/csv.js';
import { dayText } from '../../shared/dates.js';
import { saveFile } from '../../shared/download.js';
import { FileButton } from '../../shared/file-buttons.js';
import { currencyDigitsOf } from '../../shared/money.js';
import { percent, t } from '../../shared/texts.js';
import type { Range } from '../overview/day-fields.js';

/** An amount with the decimals of its currency, so that a program can read it. */
export const amountCell = (amount: number, currency: string): string =>
  amount.toFixed(currencyDigitsOf(currency));

export const shareCell = (share: number | null): string => (share === null ? '' : percent(share));

/** Names the days that values are of: "Before (Oct 1, 2026 – Oct 31, 2026)". */
export const ofDays = (name: string, { from, to }: Range): string =>
  `${name} (${dayText(from)} – ${dayText(to)})`;

/** Saves what the page shows as a CSV file; the first row is the header. Null while it loads. */
export function TableFileButton({
  name,
  days,
  rows,
}: {
  readonly name: string;
  readonly days: Range;
  readonly rows: readonly (readonly string[])[] | null;
}): ReactNode {
  return (
    <FileButton
      disabled={rows === null}
      onClick={() => rows !== null && saveFile(fileOf(rows), `report-${name}-${days.from}-${days.to}.csv`)}
    >
      {t('Export')}
    </FileButton>
  );
}

function fileOf(rows: readonly (readonly string[])[]): Blob {
  const cell = (text: string): string => {
    const safe = csvText(text);
    return /[",\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const text = rows.map((row) => `${row.map(cell).join(',')}\n`).join('');
  // the mark at the beginning tells spreadsheets that the file is UTF-8
  return new Blob([`\u{FEFF}${text}`], { type: 'text/csv;charset=utf-8' });
}
