import { open, type FileHandle } from 'node:fs/promises';

const CHUNK = 65_536;
const MAX_RECORD = 1_048_576;
const [QUOTE, CR, LF] = [0x22, 0x0d, 0x0a];
const DELIMITERS = [0x2c, 0x3b, 0x09] as const; // comma, semicolon, tab

export interface CsvRecord {
  readonly fields: readonly string[];
  readonly at: number;
  readonly end: number;
}

/** Records of a CSV file from a byte offset on; a page costs the bytes of the page, wherever it stands. */
export async function readRecords(
  path: string,
  from: number,
  limit: number,
  delimiter: number,
): Promise<CsvRecord[]> {
  const file = await open(path, 'r');
  try {
    return await scan(file, from, limit, delimiter);
  } finally {
    await file.close();
  }
}

export async function readHeader(
  path: string,
): Promise<{ readonly names: readonly string[]; readonly end: number; readonly delimiter: number }> {
  const [line] = await readRecords(path, 0, 1, LF);
  const text = line?.fields.join('') ?? '';
  const counts = DELIMITERS.map((mark) => text.split(String.fromCharCode(mark)).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? DELIMITERS[0];
  const [header] = await readRecords(path, 0, 1, delimiter);
  return {
    names: (header?.fields ?? []).map((name) => name.replace(/^\ufeff/u, '').trim()),
    end: header?.end ?? 0,
    delimiter,
  };
}

async function scan(file: FileHandle, from: number, limit: number, delimiter: number): Promise<CsvRecord[]> {
  const records: CsvRecord[] = [];
  let rest = Buffer.alloc(0);
  let at = from;
  for (let read = from; ;) {
    const chunk = Buffer.alloc(CHUNK);
    const { bytesRead } = await file.read(chunk, 0, CHUNK, read);
    read += bytesRead;
    rest = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    for (let end = recordEnd(rest, bytesRead === 0); end > 0; end = recordEnd(rest, bytesRead === 0)) {
      const fields = splitFields(rest.subarray(0, end), delimiter);
      if (fields.length > 1 || fields[0] !== '') records.push({ fields, at, end: at + end });
      at += end;
      rest = rest.subarray(end);
      if (records.length === limit) return records;
    }
    if (bytesRead === 0) return records;
    if (rest.length > MAX_RECORD)
      throw new Error('A row of the CSV file is longer than 1 MiB; is a quote missing?');
  }
}

/** Length of the first record with its line end; 0 when it is not complete yet. */
function recordEnd(bytes: Buffer, last: boolean): number {
  let quoted = false;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) quoted = !quoted;
    else if (bytes[at] === LF && !quoted) return at + 1;
  }
  return last ? bytes.length : 0;
}

function splitFields(record: Buffer, delimiter: number): string[] {
  let end = record.length;
  while (end > 0 && (record[end - 1] === LF || record[end - 1] === CR)) end -= 1;
  const fields: string[] = [];
  let quoted = false;
  let start = 0;
  for (let at = 0; at <= end; at++) {
    if (at < end && record[at] === QUOTE) quoted = !quoted;
    if (at === end || (record[at] === delimiter && !quoted)) {
      fields.push(unquote(decode(record.subarray(start, at))));
      start = at + 1;
    }
  }
  return fields;
}

const unquote = (text: string): string => {
  const trimmed = text.trim();
  return trimmed.length > 1 && trimmed.startsWith('"') && trimmed.endsWith('"')
    ? trimmed.slice(1, -1).replaceAll('""', '"')
    : text;
};

/** UTF-8, else the Windows code page spreadsheets write. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
