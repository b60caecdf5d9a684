import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rmdir } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { FileQueue, reportsIn } from './file-queue.js';
import type { ConnectConfig, QueuedReport, ReportQueue } from './types.js';

const FORMER = /^affiliate-site-\d{6}$/;

interface Parts {
  readonly config: ConnectConfig;
  readonly now: (() => number) | undefined;
  readonly onError: ((error: unknown) => void) | undefined;
}

/**
 * The queue of a site that names none: a folder named after the site's address, in the folder of the program,
 * so that neither a new number of the site nor another working directory hides what waits. Reports in folders
 * of earlier versions are moved here first.
 */
export class DefaultQueue implements ReportQueue {
  readonly #folder: string;
  readonly #queue: FileQueue;
  #taken: Promise<void> | undefined;
  /** Where earlier versions stored reports: by the number of the site, below the working directory. */
  readonly #places: readonly string[];

  constructor(private readonly parts: Parts) {
    const home = programFolder();
    this.#places = [...new Set([home, process.cwd()])];
    this.#folder = join(home, folderName(parts.config));
    this.#queue = new FileQueue(this.#folder, parts.now);
  }

  async add(report: QueuedReport): Promise<void> {
    await this.#ready();
    return this.#queue.add(report);
  }

  async list(limit: number): Promise<readonly QueuedReport[]> {
    await this.#ready();
    return this.#queue.list(limit);
  }

  remove(id: string): Promise<void> {
    return this.#queue.remove(id);
  }

  refuse(id: string, reason: string): Promise<string | null> {
    return this.#queue.refuse(id, reason);
  }

  async size(): Promise<number> {
    await this.#ready();
    return this.#queue.size();
  }

  #ready(): Promise<void> {
    return (this.#taken ??= this.#takeOver().catch((error: unknown) => {
      this.parts.onError?.(error);
    }));
  }

  async #takeOver(): Promise<void> {
    const own = [folderName(this.parts.config), `affiliate-site-${this.parts.config.site_id}`];
    for (const place of this.#places) {
      for (const name of own) await this.#move(join(place, name));
      await this.#logOthers(place, own);
    }
  }

  async #move(former: string): Promise<void> {
    if (former === this.#folder) return;
    for (const name of await reportsIn(former)) {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      // Another process of this site may have moved it.
      await rename(join(former, name), join(this.#folder, name)).catch(unlessGone);
    }
    await rmdir(former).catch(() => {}); // not removed when it holds anything else
  }

  async #logOthers(place: string, own: readonly string[]): Promise<void> {
    const names = (await readdir(place).catch(() => [])).filter(
      (name) => FORMER.test(name) && !own.includes(name),
    );
    for (const name of names) {
      const { length } = await reportsIn(join(place, name));
      if (length > 0)
        this.parts.onError?.(
          new Error(
            `${length} reports wait in ${join(place, name)} under another site number. ` +
              `If they are this site's, move the files to ${this.#folder}.`,
          ),
        );
    }
  }
}

/** `affiliate-site-store.example-1a2b3c4d`; the number when the text from the primary names no address. */
function folderName({ site_url: address, site_id: id }: ConnectConfig): string {
  if (address === undefined) return `affiliate-site-${id}`;
  const { host, pathname } = new URL(address);
  const key = `${host}${pathname.replace(/\/+$/, '')}`.toLowerCase();
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 8);
  return `affiliate-site-${key.replaceAll(/[^a-z0-9.-]+/g, '-').slice(0, 80)}-${digest}`;
}

/** The nearest folder with a package.json above the program's file; else the working directory. */
function programFolder(): string {
  const [file = ''] = (process.argv[1] ?? '').split(`${sep}node_modules${sep}`, 1);
  if (file === '') return process.cwd();
  for (let at = resolve(file); at !== dirname(at); at = dirname(at))
    if (existsSync(join(at, 'package.json'))) return at;
  return process.cwd();
}

function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
