import { mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { hasRoom } from './outbox.js';
import type { QueuedReport, ReportQueue } from './types.js';

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
    const texts = await Promise.all(
      names.map((name) => readFile(join(this.folder, name), 'utf8').catch(unlessGone)),
    );
    return texts.filter((text) => text !== null).map((text) => JSON.parse(text) as QueuedReport);
  }

  async remove(id: string): Promise<void> {
    const name = (await this.#names()).find((each) => each.endsWith(`-${id}.json`));
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

/** The names of the complete files with reports. */
export const reportsIn = async (folder: string): Promise<string[]> =>
  ((await readdir(folder).catch(unlessGone)) ?? []).filter((name) => REPORT.test(name));

function unlessGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
