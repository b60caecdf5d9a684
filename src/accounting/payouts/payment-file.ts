import { createArrayCsvStringifier } from 'csv-writer';
import { guardCell } from '../../core/csv.js';
import { isMap, type JsonMap } from '../../core/is-map.js';
import { fail } from '../../errors.js';
import type { PaymentFile, PaymentTable } from './types.js';

export interface FilePart {
  readonly name: string;
  readonly contentType: string;
  readonly text: string;
  /** How many files are needed for all rows. */
  readonly parts: number;
}

/**
 * One part of a payment file; a service with a row limit takes several. 404 for a part that does not exist.
 */
export function filePart(file: PaymentFile, part: number): FilePart {
  const size = file.kind === 'csv' ? (file.maxRows ?? Math.max(1, file.rows.length)) : 1;
  const parts = file.kind === 'csv' ? Math.max(1, Math.ceil(file.rows.length / size)) : 1;
  if (part < 1 || part > parts) fail('payment_file_part_not_found');
  return {
    name: parts > 1 ? file.name.replace(/(\.\w+)?$/u, `_${part}$1`) : file.name,
    contentType: file.contentType,
    text: file.kind === 'csv' ? csvText(file, file.rows.slice((part - 1) * size, part * size)) : file.text,
    parts,
  };
}

/**
 * A method's file is checked like input: if it is not a file, the operator has to repair the method, and
 * nothing is delivered.
 */
export function checkFile(response: unknown): PaymentFile {
  if (!isMap(response) || !isNamed(response) || !(isTable(response) || isDocument(response)))
    fail('payout_method_failed', { cause: new TypeError('prepare() must return a PaymentFile') });
  return response as unknown as PaymentFile; // checked above
}

const isNamed = ({ name, contentType }: JsonMap): boolean =>
  typeof name === 'string' && typeof contentType === 'string';

const isTable = ({ kind, columns, rows, maxRows }: JsonMap): boolean =>
  kind === 'csv' &&
  Array.isArray(columns) &&
  Array.isArray(rows) &&
  (maxRows === undefined || (Number.isSafeInteger(maxRows) && Number(maxRows) > 0));

const isDocument = ({ kind, text }: JsonMap): boolean => kind === 'document' && typeof text === 'string';

function csvText({ columns, header }: PaymentTable, rows: PaymentTable['rows']): string {
  const stringifier = createArrayCsvStringifier({ header: [...columns] });
  const cells = rows.map((row) => columns.map((column) => cell(row[column] ?? '')));
  return (header ? (stringifier.getHeaderString() ?? '') : '') + stringifier.stringifyRecords(cells);
}

const cell = (value: string | number): string | number =>
  typeof value === 'string' ? guardCell(value).replaceAll(/\r\n?/gu, '\n').replaceAll('\0', '') : value;
