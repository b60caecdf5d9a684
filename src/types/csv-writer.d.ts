// The package's own types point at its TypeScript sources, which do not compile under our settings;
// tsconfig.json maps its name here.
type Cell = string | number | boolean | null | undefined;

interface Settings {
  readonly fieldDelimiter?: ',' | ';';
  readonly recordDelimiter?: '\n' | '\r\n';
  readonly alwaysQuote?: boolean;
}

export interface CsvStringifier<Row> {
  /** null when no header was given. */
  getHeaderString(): string | null;
  stringifyRecords(records: Iterable<Row>): string;
}

export declare function createArrayCsvStringifier(
  settings: Settings & { readonly header?: readonly string[] },
): CsvStringifier<readonly Cell[]>;

export declare function createObjectCsvStringifier(
  settings: Settings & {
    readonly header: readonly { readonly id: string; readonly title: string }[];
    readonly headerIdDelimiter?: string;
  },
): CsvStringifier<Readonly<Record<string, Cell>>>;
