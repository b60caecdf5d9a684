export type ExportRow = Readonly<Record<string, string | number | null>>;

export interface ExportSource {
  /** Key of the JSON form, e.g. `visits`. */
  readonly name: string;
  /** Default: `<name>_export.csv`. */
  readonly file?: string;
  readonly columns: readonly string[];
  /** Rows that match, before any cap. */
  readonly total: number;
  /** Pages of raw rows, read by key; no connection is held between two of them (docs/reliability.md §3.7). */
  readonly rows: AsyncIterable<readonly ExportRow[]>;
  /** Free-text columns that the JSON form carries CSV-escaped (docs/interface.md §5, "esc"). */
  readonly escaped?: readonly string[];
}

/** What an export handler returns; the router decides between CSV (default) and JSON rows. */
export class Export {
  constructor(readonly source: ExportSource) {}
}

export const exportRows = (source: ExportSource): Export => new Export(source);
