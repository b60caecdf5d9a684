import type { SourceWord } from '../../../../adapters/imports.js';
import { CSV_FILES, PRESETS, type CsvFileName, type CsvPreset, type CsvPresetName } from './presets.js';
import type { CsvForms } from './values.js';

export interface CsvFile {
  readonly path: string;
  /**
   * Our column → the file's column; without an entry the usual names are looked for (case,
   * blanks, - and _ do not count).
   */
  readonly columns?: Readonly<Record<string, string>>;
}

export interface CsvSource extends CsvForms {
  /** Part of every source key: another name is another source. */
  readonly slug?: string;
  readonly name?: string;
  /** Names, words and forms of a hosted system; `generic` unless given. */
  readonly preset?: CsvPresetName;
  readonly affiliates?: CsvFile;
  readonly customers?: CsvFile;
  readonly commissions?: CsvFile;
  readonly clicks?: CsvFile;
  readonly payouts?: CsvFile;
  readonly coupons?: CsvFile;
  /** Earlier names of `commissions` and `clicks`. */
  readonly referrals?: CsvFile;
  readonly visits?: CsvFile;
  readonly timeZone?: string;
  /** Link variable of the old program, where the preset has none or it was another one. */
  readonly variable?: string;
  /** Status of rows that have none; without it such files are refused. */
  readonly defaultStatus?: Readonly<Partial<Record<StatusFile, string>>>;
  /** The shop whose orders name the coupons, for rows that have no `provider`. */
  readonly couponProvider?: string;
  /** Imports although columns that old links may use are not read. */
  readonly ignoreLinkColumns?: boolean;
}

/** The files whose rows have a status, and the stage it belongs to. */
export const STATUS_STAGES = {
  affiliates: 'affiliates',
  commissions: 'referrals',
  payouts: 'payouts',
} as const satisfies Partial<Record<CsvFileName, SourceWord['stage']>>;
export type StatusFile = keyof typeof STATUS_STAGES;
export const STATUS_FILES = Object.keys(STATUS_STAGES) as readonly StatusFile[];

/** The options of an import and what its preset adds to them. */
export interface CsvSettings {
  readonly files: ReadonlyMap<CsvFileName, CsvFile>;
  readonly preset: CsvPreset;
  readonly forms: CsvForms;
  readonly variable: string | null;
  readonly defaultStatus: NonNullable<CsvSource['defaultStatus']>;
  readonly couponProvider: string | null;
}

export function settingsOf(source: CsvSource): CsvSettings {
  const preset: CsvPreset = PRESETS[source.preset ?? 'generic'];
  const files: Partial<Record<CsvFileName, CsvFile | undefined>> = {
    ...source,
    commissions: source.commissions ?? source.referrals,
    clicks: source.clicks ?? source.visits,
  };
  return {
    files: new Map(
      CSV_FILES.flatMap((name) => {
        const file = files[name];
        return file === undefined ? [] : [[name, file] as const];
      }),
    ),
    preset,
    forms: {
      minorUnits: source.minorUnits ?? preset.minorUnits,
      decimalMark: source.decimalMark ?? preset.decimalMark,
      dates: source.dates,
    },
    variable: source.variable ?? preset.variable,
    defaultStatus: source.defaultStatus ?? {},
    couponProvider: source.couponProvider ?? null,
  };
}
