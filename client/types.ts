/** A page of a list with its totals, as every list returns them. */
export interface Page<Row> {
  readonly data: readonly Row[];
  readonly current_page: number;
  readonly per_page: number;
  readonly last_page: number;
  readonly total: number;
  readonly from: number | null;
  readonly to: number | null;
  readonly path: string;
  readonly first_page_url: string;
  readonly last_page_url: string;
  readonly next_page_url: string | null;
  readonly prev_page_url: string | null;
  readonly links: readonly {
    readonly url: string | null;
    readonly label: string;
    readonly active: boolean;
  }[];
}

/** Field → rule → sentence, of a response `validation_failed`. */
export type FieldErrors = Readonly<Record<string, Readonly<Record<string, string>>>>;
