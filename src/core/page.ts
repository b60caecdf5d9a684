export interface Page<T> {
  readonly rows: readonly T[];
  /** Rows matching the filters, on all pages. */
  readonly total: number;
  readonly page: number;
  readonly per_page: number;
}

export type ExportRow = Readonly<Record<string, string | number | null>>;

/** All rows of a list, for an export. */
export interface ExportPages {
  /** The number of matching rows, before any limit. */
  readonly total: number;
  /** Pages of rows, read by key; no connection is held between two pages (docs/reliability.md §3.7). */
  readonly rows: AsyncIterable<readonly ExportRow[]>;
}

export interface PageLink {
  readonly url: string | null;
  readonly label: string;
  readonly active: boolean;
}

export interface PageEnvelope<T> {
  readonly current_page: number;
  readonly data: readonly T[];
  readonly first_page_url: string;
  readonly from: number | null;
  readonly last_page: number;
  readonly last_page_url: string;
  readonly links: readonly PageLink[];
  readonly next_page_url: string | null;
  readonly path: string;
  readonly per_page: number;
  readonly prev_page_url: string | null;
  readonly to: number | null;
  readonly total: number;
}

const GAP = '...';

/** Rows to skip before this page. */
export const offsetOf = (query: { readonly page: number; readonly per_page: number }): number =>
  (query.page - 1) * query.per_page;

export interface Window {
  readonly limit: number;
  readonly offset: number;
}

/** The list response around a page; `url` is the list's absolute address. */
export function pageEnvelope<T>(url: string, { rows, total, page, per_page }: Page<T>): PageEnvelope<T> {
  const path = url.replace(/[?#].*$/u, '').replace(/\/$/u, '');
  const urlOf = (number: number): string => `${path}/?page=${number}`;
  const last = Math.max(1, Math.ceil(total / per_page));
  const from = rows.length > 0 ? offsetOf({ page, per_page }) + 1 : null;
  const previous = page > 1 ? urlOf(page - 1) : null;
  const next = page < last ? urlOf(page + 1) : null;
  const numbers = pageWindow(page, last).map((entry) =>
    entry === GAP
      ? { url: null, label: GAP, active: false }
      : { url: urlOf(entry), label: String(entry), active: entry === page },
  );
  return {
    current_page: page,
    data: rows,
    first_page_url: urlOf(1),
    from,
    last_page: last,
    last_page_url: urlOf(last),
    links: [
      { url: previous, label: 'pagination.previous', active: false },
      ...numbers,
      { url: next, label: 'pagination.next', active: false },
    ],
    next_page_url: next,
    path,
    per_page,
    prev_page_url: previous,
    to: from === null ? null : from + rows.length - 1,
    total,
  };
}

// Which page numbers are shown (docs/interface.md §3).
function pageWindow(current: number, last: number): readonly (number | typeof GAP)[] {
  if (last <= 13) return numbersFrom(1, last);
  if (current <= 7) return [...numbersFrom(1, 10), GAP, last - 1, last];
  if (current > last - 7) return [1, 2, GAP, ...numbersFrom(last - 9, last)];
  return [1, 2, GAP, ...numbersFrom(current - 3, current + 3), GAP, last - 1, last];
}

const numbersFrom = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
