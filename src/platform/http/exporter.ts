import type { ServerResponse } from 'node:http';
import { createArrayCsvStringifier } from 'csv-writer';
import { csvText, escField } from '../../core/csv.js';
import { Rest } from '../../core/rest.js';
import { fail } from '../../errors.js';
import type { ExportRow } from '../../core/page.js';
import type { Export, ExportSource } from './export.js';
import { sendJson } from './reply.js';
import { header, type Exchange } from './request.js';

const JSON_CAP = 5000;
const PER_USER = 2;
const PER_PROCESS = 6;
/** Additional exports for administrators, so that they never wait for those of others. */
const FOR_ADMINISTRATORS = 1;
const STALL_MS = 30_000;

/** Sends exports and limits how many run at the same time. */
export class Exporter {
  readonly #running = new Map<number, number>();
  #total = 0;

  /** `stallMs`: an export is ended when the client has read nothing for this long. */
  constructor(private readonly stallMs = STALL_MS) {}

  async send(exchange: Exchange, { source }: Export): Promise<void> {
    const userId = exchange.user?.id ?? 0;
    const slots = await this.#slots(exchange); // nothing is awaited between checking and taking a slot
    const mine = this.#running.get(userId) ?? 0;
    if (mine >= PER_USER || this.#total >= slots) fail('too_many_exports', { retryAfter: 10 });
    this.#running.set(userId, mine + 1);
    this.#total += 1;
    try {
      exchange.res.setHeader('X-Export-Total', String(source.total));
      await (wantsJson(exchange)
        ? sendRows(exchange, source)
        : sendCsv(exchange.res, source, { headOnly: exchange.method === 'HEAD', stallMs: this.stallMs }));
    } finally {
      this.#total -= 1;
      const left = (this.#running.get(userId) ?? 1) - 1;
      if (left > 0) this.#running.set(userId, left);
      else this.#running.delete(userId);
    }
  }

  async #slots({ app, user, access }: Exchange): Promise<number> {
    const isAdmin = user !== null && (await access.can(app, user, 'manage_options'));
    return PER_PROCESS + (isAdmin ? FOR_ADMINISTRATORS : 0);
  }
}

/**
 * JSON is sent when the request names it, or when it comes from a script that marks its calls, accepts any
 * type and builds the file itself. Browsers and all other clients get the file.
 */
function wantsJson({ req, query }: Exchange): boolean {
  if (query['format'] === 'json' || query['format'] === 'csv') return query['format'] === 'json';
  const accepted = (header(req, 'accept') ?? '').toLowerCase().split(',');
  if (accepted.some((range) => names(range, 'application/json'))) return true;
  if (accepted.some((range) => names(range, 'text/csv'))) return false;
  const isScript = (header(req, 'x-requested-with') ?? '').trim().toLowerCase() === 'xmlhttprequest';
  return isScript || query['query_timestamp'] !== undefined;
}

function names(range: string, type: string): boolean {
  const [given = '', ...parameters] = range.split(';').map((part) => part.trim());
  return given === type && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
}

async function sendRows({ app, res }: Exchange, source: ExportSource): Promise<void> {
  const cap = await jsonCap(app);
  const rows: ExportRow[] = [];
  for await (const page of source.rows) {
    rows.push(...page.slice(0, cap - rows.length).map((row) => jsonRow(row, source)));
    if (rows.length >= cap) break;
  }
  sendJson(res, 200, { [source.name]: rows, limited: source.total > cap, total: source.total });
}

async function jsonCap(app: Exchange['app']): Promise<number> {
  const cap = await app.hooks.applyFilters('data_export_limit', JSON_CAP);
  return Number.isSafeInteger(cap) && cap > 0 ? cap : JSON_CAP;
}

function jsonRow(row: ExportRow, { columns, escaped = [] }: ExportSource): ExportRow {
  return Object.fromEntries(
    columns.map((column) => {
      const value = row[column] ?? null;
      return [column, typeof value === 'string' && escaped.includes(column) ? escField(value) : value];
    }),
  );
}

async function sendCsv(
  res: ServerResponse,
  source: ExportSource,
  { headOnly, stallMs }: { readonly headOnly: boolean; readonly stallMs: number },
): Promise<void> {
  const stringifier = createArrayCsvStringifier({ header: source.columns });
  const start = (): void => {
    res.setHeader('Content-Type', 'text/csv; charset=utf-8');
    res.setHeader(
      'Content-Disposition',
      `attachment; filename="${source.file ?? `${source.name}_export.csv`}"`,
    );
    res.write(stringifier.getHeaderString() ?? '');
  };
  const rest = new Rest();
  if (!headOnly) {
    for await (const page of source.rows) {
      // The first page is read before anything is sent, so that its failure becomes an ordinary error
      // response.
      if (!res.headersSent) start();
      if (
        page.length > 0 &&
        !(await written(res, stringifier.stringifyRecords(page.map((row) => csvRow(row, source.columns))), {
          rest,
          stallMs,
        }))
      )
        return;
    }
  }
  if (!res.headersSent) start();
  res.end();
}

/**
 * Rests, or waits until the client has taken what was sent. False when the client has disconnected or has taken nothing
 * for too long.
 */
async function written(
  res: ServerResponse,
  text: string,
  { rest, stallMs }: { readonly rest: Rest; readonly stallMs: number },
): Promise<boolean> {
  if (res.destroyed) return false;
  if (res.write(text)) await rest.take();
  else {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        res.off('drain', done).off('close', done);
        resolve();
      };
      const timer = setTimeout(() => res.destroy(), stallMs);
      res.once('drain', done).once('close', done);
    });
    rest.taken();
  }
  return !res.destroyed;
}

// Numbers come from us and are written as numbers.
const csvRow = (row: ExportRow, columns: readonly string[]): (string | number | null)[] =>
  columns.map((column) => {
    const value = row[column] ?? null;
    return typeof value === 'string' ? csvText(value) : value;
  });
