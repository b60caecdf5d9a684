import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { parse } from 'csv-parse';
import { Rest } from '../../../core/rest.js';
import { fail } from '../../../errors.js';

const MAX_RECORD = 1_048_576;
/** Bytes that are parsed at once, and records after which a long read may rest. */
const CHUNK = 16_384;
export const PART = 100;
const HEAD = 65_536;
const MARK = '\uFEFF'; // byte order mark
const MARK_BYTES = 3;
const DELIMITERS = [',', ';', '\t', '|'] as const;

export interface CsvRecord {
  readonly fields: readonly string[];
  /** Where the record begins, in bytes; where the next one does. */
  readonly at: number;
  readonly end: number;
}

/** Records of a CSV file from a byte offset on; a page costs the bytes of the page, at any position. */
export async function readRecords(
  path: string,
  from: number,
  limit: number,
  delimiter: string,
): Promise<CsvRecord[]> {
  const records: CsvRecord[] = [];
  const input = createReadStream(path, { start: from, highWaterMark: CHUNK });
  const parser = input.pipe(
    parse({
      delimiter,
      encoding: null, // fields come as bytes: each is decoded by itself
      info: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: MAX_RECORD,
    }),
  );
  input.on('error', (error) => parser.destroy(error));
  let at = from;
  const rest = new Rest();
  try {
    for await (const each of parser) {
      const { record, info } = each as { record: Buffer[]; info: { bytes: number } };
      const end = from + info.bytes;
      records.push({ fields: record.map(decode), at, end });
      at = end;
      if (records.length === limit) break;
      if (records.length % PART === 0) await rest.take();
    }
  } catch (cause) {
    const { code } = cause as { code?: unknown };
    fail('import_file_invalid', {
      message:
        `A CSV file cannot be read after byte ${at}${typeof code === 'string' ? ` (${code})` : ''}. ` +
        'Check for a missing quote.',
      cause,
    });
  } finally {
    input.destroy();
    parser.destroy();
  }
  return records;
}

export interface CsvHeader {
  readonly names: readonly string[];
  readonly end: number;
  readonly delimiter: string;
}

/** The first line; of the usual delimiters the one it holds most often. */
export async function readHeader(path: string): Promise<CsvHeader> {
  const head = await readHead(path);
  const line = head.replace(MARK, '').split(/\r?\n|\r/u)[0] ?? '';
  const counts = DELIMITERS.map((mark) => line.split(mark).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
  const [header] = await readRecords(path, head.startsWith(MARK) ? MARK_BYTES : 0, 1, delimiter);
  return { names: (header?.fields ?? []).map((name) => name.trim()), end: header?.end ?? 0, delimiter };
}

async function readHead(path: string): Promise<string> {
  const file = await open(path, 'r').catch((cause: unknown) =>
    fail('import_file_invalid', { message: 'A CSV file does not exist or cannot be opened.', cause }),
  );
  try {
    const chunk = Buffer.alloc(HEAD);
    const { bytesRead } = await file.read(chunk, 0, HEAD, 0);
    return decode(chunk.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** UTF-8, else the Windows code page spreadsheets write. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
