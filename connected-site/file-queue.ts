import { mkdir, open, readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { hasRoom } from './outbox.js';
import type { QueuedReport, ReportQueue } from './types.js';

const REFUSED = 'refused';
/** Where the id begins in the name of a file. */
const ID_AT = 24;
const REPORT = /^\d{16}-\d{6}-[\w-]+\.json$/;

/** One file per report, in a folder that is made with the first one, so a restart loses nothing. */
export class FileQueue implements ReportQueue {
  #last = 0;
  #count = 0;

  private readonly folder: string;

  /** A relative folder is resolved here, because the host may change its working directory. */
  constructor(
    folder: string,
    private readonly now: () => number = Date.now,
  ) {
    this.folder = resolve(folder);
  }

  async add(report: QueuedReport): Promise<void> {
    hasRoom(await this.size());
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const path = join(this.folder, this.#nameFor(report));
    // Written under another name first: a file that is listed is complete, also after a crash.
    const file = await open(`${path}.new`, 'wx', 0o600);
    try {
      await file.writeFile(JSON.stringify(report));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path);
  }

  async list(limit: number): Promise<readonly QueuedReport[]> {
    const names = (await this.#names()).sort().slice(0, limit);
    const reports = await Promise.all(names.map((name) => this.#read(name)));
    return reports.filter((report) => report !== null);
  }

  /** A file that a full disk or a person spoiled does not stop the others. Null when another process sent it. */
  async #read(name: string): Promise<QueuedReport | null> {
    const text = await readFile(join(this.folder, name), 'utf8').catch(unlessGone);
    return text === null ? null : (parsed(text) ?? { id: idOf(name), kind: 'unreadable', fields: {} });
  }

  /** Moves the report, with the reason, to the folder `refused` below this one. */
  async refuse(id: string, reason: string): Promise<string | null> {
    const name = (await this.#names()).find((each) => idOf(each) === id);
    if (name === undefined) return null;
    const [from, to] = [join(this.folder, name), join(this.folder, REFUSED, name)];
    await mkdir(join(this.folder, REFUSED), { recursive: true, mode: 0o700 });
    const report = await this.#read(name);
    if (report !== null && report.kind !== 'unreadable')
      await writeFile(from, JSON.stringify({ ...report, refused: reason }), { mode: 0o600 });
    await rename(from, to).catch(unlessGone);
    return to;
  }

  async remove(id: string): Promise<void> {
    const name = (await this.#names()).find((each) => idOf(each) === id);
    // Another process of this site may have sent it too, which does no harm.
    if (name !== undefined) await unlink(join(this.folder, name)).catch(unlessGone);
  }

  async size(): Promise<number> {
    return (await this.#names()).length;
  }

  #names(): Promise<string[]> {
    return reportsIn(this.folder);
  }

  /**
   * Names sort by time, and by number within a millisecond; a clock that is set back does not change the
   * order.
   */
  #nameFor({ id }: QueuedReport): string {
    const now = Math.max(this.#last, this.now());
    this.#count = now === this.#last ? this.#count + 1 : 0;
    this.#last = now;
    return `${String(now).padStart(16, '0')}-${String(this.#count).padStart(6, '0')}-${id}.json`;
  }
}

const idOf = (name: string): string => name.slice(ID_AT, -'.json'.length);

function parsed(text: string): QueuedReport | null {
  try {
    const report = JSON.parse(text) as Partial<QueuedReport> | null;
    return typeof report?.id === 'string' && typeof report.fields === 'object'
      ? (report as QueuedReport)
      : null;
  } catch {
    return null;
  }
}

/** The names of the complete files with reports. */
export const reportsIn = async (folder: string): Promise<string[]> =>
  ((await readdir(folder).catch(unlessGone)) ?? []).filter((name) => REPORT.test(name));

function unlessGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
