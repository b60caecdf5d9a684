import { createArrayCsvStringifier } from 'csv-writer';
import { guardCell } from '../../core/csv.js';
import type { PaymentFile } from './types.js';

export interface FilePart {
  readonly name: string;
  readonly contentType: string;
  readonly text: string;
  /** Payments in the whole file and files needed for them. */
  readonly total: number;
  readonly parts: number;
}

/** One uploadable part of a payment file; a service with a row limit takes several. */
export function filePart(file: PaymentFile, part: number): FilePart {
  const size = file.maxRows ?? Math.max(1, file.rows.length);
  const parts = Math.max(1, Math.ceil(file.rows.length / size));
  const rows = file.rows.slice((part - 1) * size, part * size);
  return {
    name: parts > 1 ? file.name.replace(/(\.\w+)?$/u, `_${part}$1`) : file.name,
    contentType: file.contentType,
    text: file.text ?? csvText(file, rows),
    total: file.rows.length,
    parts,
  };
}

function csvText({ columns, header }: PaymentFile, rows: PaymentFile['rows']): string {
  const stringifier = createArrayCsvStringifier({ header: [...columns] });
  const cells = rows.map((row) => columns.map((column) => cell(row[column] ?? '')));
  return (header ? (stringifier.getHeaderString() ?? '') : '') + stringifier.stringifyRecords(cells);
}

const cell = (value: string | number): string | number =>
  typeof value === 'string' ? guardCell(value).replaceAll(/\r\n?/gu, '\n').replaceAll('\0', '') : value;
