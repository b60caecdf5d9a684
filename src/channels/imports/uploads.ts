import { randomUUID } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail } from '../../errors.js';
import { readMultipart, type PartSink } from '../../platform/http/multipart.js';
import type { Deps } from './deps.js';
import { csvMigrator, csvPreview, type CsvPreview } from './csv/csv.js';
import type { CsvFile, CsvSource, StatusFile } from './csv/source.js';
import { CSV_FILES, PRESETS, type CsvFileName, type CsvPresetName } from './csv/presets.js';
import type { Migrator } from '../../../adapters/imports.js';

const OPTION = 'csv_upload';
const MAX_BYTES = 200 * 1024 * 1024;
const SETTINGS_BYTES = 65_536;

/** What came with the files: how they are to be read. */
interface UploadSettings {
  readonly preset?: CsvPresetName;
  readonly dates?: 'day-first' | 'month-first';
  readonly decimal?: 'point' | 'comma';
  readonly minor_units?: boolean;
  readonly variable?: string;
  readonly default_status?: Readonly<Partial<Record<StatusFile, string>>>;
  readonly coupon_provider?: string;
  readonly ignore_link_columns?: boolean;
  /** File → our column → the file's. */
  readonly columns?: Readonly<Partial<Record<CsvFileName, Readonly<Record<string, string>>>>>;
}

/** CSV files that came over REST, stored in one folder of this machine until others replace them. */
export class CsvUploads {
  #known: { readonly text: string; readonly migrator: Migrator } | undefined;

  constructor(private readonly app: Deps) {}

  /** The migrator over the files at hand; null before any came. */
  async migrator(): Promise<Migrator | null> {
    const source = await this.app.settings.read<CsvSource | null>(OPTION, null);
    if (source === null) return null;
    const text = JSON.stringify(source);
    if (this.#known?.text !== text) this.#known = { text, migrator: csvMigrator(source) };
    return this.#known.migrator;
  }

  /** Takes the parts of the request as files; returns their first rows and how their columns are read. */
  async receive(req: IncomingMessage): Promise<CsvPreview> {
    if (req.readableEnded) fail('webhook_raw_body_missing', { status: 400 });
    const folder = join(
      tmpdir(),
      `affiliate-service-${this.app.secrets.sign('csv-uploads', '').slice(0, 16)}`,
    );
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const upload = new Upload(folder);
    try {
      await readMultipart(req, MAX_BYTES, (name) => upload.open(name));
      const source = upload.source();
      const preview = await csvPreview(source);
      await this.app.transaction((trx, afterCommit) =>
        this.app.settings.write(trx, afterCommit, OPTION, source),
      );
      return preview;
    } catch (error) {
      await upload.drop();
      throw error;
    }
  }
}

class Upload {
  readonly #files = new Map<CsvFileName, string>();
  readonly #open = new Set<WriteStream>();
  #settings = '';

  constructor(private readonly folder: string) {}

  async open(name: string): Promise<PartSink> {
    if (name === 'settings') return this.#text();
    const file = CSV_FILES.find((each) => each === name);
    if (file === undefined || this.#files.has(file))
      return fail('import_file_invalid', {
        message: `The name of each part must be one of: ${CSV_FILES.join(', ')}, settings. Use each name once.`,
      });
    const path = join(this.folder, `${file}-${randomUUID()}.csv`);
    this.#files.set(file, path);
    const out = createWriteStream(`${path}.part`, { mode: 0o600 });
    this.#open.add(out.once('close', () => this.#open.delete(out)));
    const failed = new Promise<never>((_resolve, reject) => out.once('error', reject));
    failed.catch(() => {});
    const settled = (work: (done: () => void) => void): Promise<void> =>
      Promise.race([new Promise<void>(work), failed]);
    return {
      write: (chunk) => settled((done) => void out.write(chunk, () => done())),
      end: async () => {
        await settled((done) => out.end(done));
        await rename(`${path}.part`, path);
      },
    };
  }

  #text(): PartSink {
    return {
      write: async (chunk) => {
        this.#settings += chunk.toString('utf8');
        if (this.#settings.length > SETTINGS_BYTES) fail('payload_too_large');
      },
      end: async () => {},
    };
  }

  source(): CsvSource {
    if (this.#files.size === 0)
      fail('import_file_invalid', {
        message: `No file was uploaded. The files must be one of: ${CSV_FILES.join(', ')}.`,
      });
    const settings = readSettings(this.#settings);
    const files = Object.fromEntries(
      [...this.#files].map(([name, path]): [CsvFileName, CsvFile] => [
        name,
        { path, columns: settings.columns?.[name] ?? {} },
      ]),
    );
    return {
      ...files,
      preset: settings.preset,
      dates: settings.dates,
      decimalMark: settings.decimal,
      minorUnits: settings.minor_units,
      variable: settings.variable,
      defaultStatus: settings.default_status,
      couponProvider: settings.coupon_provider,
      ignoreLinkColumns: settings.ignore_link_columns,
    };
  }

  /** A file that is still open would use space on the disk after it was removed. */
  async drop(): Promise<void> {
    for (const out of this.#open) out.destroy();
    for (const path of this.#files.values())
      for (const each of [path, `${path}.part`]) await rm(each, { force: true });
  }
}

const isText =
  (form: RegExp) =>
  (value: unknown): boolean =>
    typeof value === 'string' && form.test(value);

/** What each setting may be. */
const SETTINGS: Readonly<Record<keyof UploadSettings, (value: unknown) => boolean>> = {
  preset: (value) => typeof value === 'string' && Object.hasOwn(PRESETS, value),
  dates: isText(/^(?:day|month)-first$/u),
  decimal: isText(/^(?:point|comma)$/u),
  variable: isText(/^[A-Za-z_-]{1,50}$/u),
  minor_units: (value) => typeof value === 'boolean',
  default_status: (value) => areStatuses(value),
  coupon_provider: isText(/^[\w-]{1,100}$/u),
  ignore_link_columns: (value) => typeof value === 'boolean',
  columns: (value) => areColumns(value),
};

function readSettings(text: string): UploadSettings {
  if (text.trim() === '') return {};
  const given = parsed(text);
  const isFine =
    typeof given === 'object' &&
    given !== null &&
    Object.entries(SETTINGS).every(([name, isRight]) => {
      const value = (given as Readonly<Record<string, unknown>>)[name];
      return value === undefined || isRight(value);
    });
  return isFine
    ? given
    : fail('import_file_invalid', {
        message:
          'The part `settings` is JSON with preset, dates (day-first, month-first), decimal (point, comma), ' +
          'minor_units, variable, default_status (affiliates, commissions, payouts), coupon_provider, ' +
          'ignore_link_columns and columns.',
      });
}

/** null for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const areStatuses = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).every(
    ([name, status]) =>
      ['affiliates', 'commissions', 'payouts'].includes(name) &&
      typeof status === 'string' &&
      status.length <= 20,
  );

const areColumns = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).every(
    ([name, columns]) =>
      (CSV_FILES as readonly string[]).includes(name) &&
      typeof columns === 'object' &&
      columns !== null &&
      Object.values(columns).every((each) => typeof each === 'string'),
  );
