import type { ExportPages, ExportRow } from '../../core/page.js';

export interface ExportSource extends ExportPages {
  /** The key in the JSON form, such as `visits`. */
  readonly name: string;
  /** Default: `<name>_export.csv`. */
  readonly file?: string;
  readonly columns: readonly string[];
  /** Columns with free text that are CSV-escaped in the JSON form (docs/interface.md §5, "esc"). */
  readonly escaped?: readonly string[];
  /** Columns about affiliates, empty for callers who may not read affiliates. */
  readonly forReaders?: readonly string[];
}

/** The result of an export handler; the router sends it as CSV (default) or as JSON rows. */
export class Export {
  constructor(readonly source: ExportSource) {}
}

/** The export with the columns `forReaders` empty. */
export const withoutReaders = ({ source }: Export): Export =>
  new Export({ ...source, rows: emptied(source.rows, source.forReaders ?? []) });

async function* emptied(
  pages: AsyncIterable<readonly ExportRow[]>,
  columns: readonly string[],
): AsyncGenerator<readonly ExportRow[]> {
  const blank = Object.fromEntries(columns.map((column) => [column, '']));
  for await (const rows of pages) yield rows.map((row) => ({ ...row, ...blank }));
}

export const exportRows = (source: ExportSource): Export => new Export(source);
