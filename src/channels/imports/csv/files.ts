import { stat } from 'node:fs/promises';
import { Rest } from '../../../core/rest.js';
import { fail } from '../../../errors.js';
import { findColumns, type CsvColumns } from './columns.js';
import type { CsvFileName } from './presets.js';
import { PART, readHeader, readRecords, type CsvHeader, type CsvRecord } from './reader.js';
import { CsvRow } from './row.js';
import type { CsvSettings } from './source.js';
import type { CsvForms } from './values.js';

const SCAN = 5000;

export const refuse = (message: string): never => fail('import_file_invalid', { message });

/** The files of an import, read by our columns. */
export class CsvFiles {
  readonly #headers = new Map<CsvFileName, Promise<CsvHeader>>();

  constructor(private readonly settings: CsvSettings) {}

  get names(): CsvFileName[] {
    return [...this.settings.files.keys()];
  }

  has(name: CsvFileName): boolean {
    return this.settings.files.has(name);
  }

  /** Size and time of each file; null for one that does not exist. */
  async stamps(): Promise<(string | null)[]> {
    return Promise.all(
      [...this.settings.files.values()].map(async ({ path }) => {
        const found = await stat(path).catch(() => null);
        return found?.isFile() === true ? `${path} ${found.size} ${found.mtimeMs}` : null;
      }),
    );
  }

  /** Reads the headers again: the files have changed. */
  forgetHeaders(): void {
    this.#headers.clear();
  }

  header(name: CsvFileName): Promise<CsvHeader> {
    const known = this.#headers.get(name) ?? readHeader(this.#path(name));
    this.#headers.set(name, known);
    return known;
  }

  async columns(name: CsvFileName): Promise<CsvColumns> {
    const { names } = await this.header(name);
    const mapped = this.settings.files.get(name)?.columns ?? {};
    return findColumns({ file: name, names, preset: this.settings.preset, mapped });
  }

  /** The file's columns by ours; of two columns that could be meant, the first one. */
  async places(name: CsvFileName): Promise<ReadonlyMap<string, number>> {
    const { places, problem } = await this.columns(name);
    if (problem !== null && places.size === 0) refuse(problem);
    return places;
  }

  /** Records from a byte on; null is the first row. */
  async records(name: CsvFileName, from: number | null, limit: number): Promise<CsvRecord[]> {
    const { end, delimiter } = await this.header(name);
    return readRecords(this.#path(name), from ?? end, limit, delimiter);
  }

  /** The rows of these records; `forms` is how the amounts of the file are written. */
  async rows(name: CsvFileName, records: readonly CsvRecord[], forms: CsvForms): Promise<CsvRow[]> {
    const reading = { settings: this.settings, places: await this.places(name), forms };
    return records.map((record) => new CsvRow(name, record, reading));
  }

  async each(name: CsvFileName, work: (row: CsvRow) => void): Promise<void> {
    const rest = new Rest();
    for (let from: number | null = null; ;) {
      const records = await this.records(name, from, SCAN);
      for (const [index, row] of (await this.rows(name, records, this.settings.forms)).entries()) {
        work(row);
        if (index % PART === 0) await rest.take();
      }
      if (records.length < SCAN) return;
      from = records.at(-1)?.end ?? from;
    }
  }

  #path(name: CsvFileName): string {
    return this.settings.files.get(name)?.path ?? '';
  }
}
