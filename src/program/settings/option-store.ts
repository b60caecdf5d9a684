import type { AfterCommit, Db } from '../../platform/database/db.js';
import type { Deps } from './deps.js';
import { lockOption, readOption, readOptionsEnding, readVersion, writeOption } from './repository.js';

const RECHECK_MS = 1000;

/** The stored settings of a name, for the parts of this module. */
export interface SettingsSnapshot {
  read<T>(name: string, fallback: T): Promise<T>;
  /** Read from the database and locked: no other process changes them until the transaction ends. */
  readLocked<T>(trx: Db, name: string, fallback: T): Promise<T>;
  write(trx: Db, afterCommit: AfterCommit, name: string, value: unknown): Promise<void>;
}

/**
 * Stored settings with a cache. A change in another process is seen within a second, one in this process at
 * once.
 */
export class OptionStore {
  #values = new Map<string, string | null>();
  #version = -1;
  #changes = 0;
  #checkedAt = -Infinity;
  #checking: Promise<void> | undefined;

  constructor(private readonly app: Deps) {}

  /** Grows with every write, here or in another process; caches of derived values compare it. */
  get version(): number {
    return this.#changes;
  }

  /** Was the version row read within the last second? Still works when the clock is set back. */
  get isFresh(): boolean {
    return Math.abs(this.app.clock.now() - this.#checkedAt) < RECHECK_MS;
  }

  /**
   * Reads the version row when the last look is a second old; undefined when nothing has to be waited for. A
   * transaction reads for itself, because it must not wait for another one's statement.
   */
  refresh(): Promise<void> | undefined {
    if (this.isFresh) return undefined;
    if (this.app.db.inTransaction) return this.#check();
    return (this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    }));
  }

  async read(name: string): Promise<string | null> {
    await this.refresh();
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const { db } = this.app;
    const values = this.#values;
    const value = await readOption(db, name);
    // What a transaction reads may never be committed, so it is not cached; nor is anything put into a cache
    // that was replaced meanwhile.
    if (!db.inTransaction) values.set(name, value);
    return value;
  }

  /** The stored value, locked against other writers until the transaction ends. */
  readLocked(trx: Db, name: string): Promise<string | null> {
    return lockOption(trx, name, this.app.clock.now());
  }

  /** The stored values as the database has them. */
  async readAll(db: Db, names: readonly string[]): Promise<(string | null)[]> {
    const values: (string | null)[] = [];
    for (const name of names) values.push(await readOption(db, name));
    return values;
  }

  readEnding(ending: string): ReturnType<typeof readOptionsEnding> {
    return readOptionsEnding(this.app.db, ending);
  }

  async write(
    trx: Db,
    name: string,
    value: string,
    afterCommit: (work: () => unknown) => void,
  ): Promise<void> {
    await writeOption(trx, name, value, this.app.clock.now());
    afterCommit(() => this.drop());
  }

  drop(): void {
    this.#forget();
    this.#version = -1;
    this.#checkedAt = -Infinity;
    this.#checking = undefined;
  }

  /** A read that began before a write of ours may find the old version; then the next one reads again. */
  async #check(): Promise<void> {
    const startedAt = this.app.clock.now();
    const values = this.#values;
    const version = await readVersion(this.app.db);
    if (values !== this.#values) return;
    if (version !== this.#version) this.#forget();
    this.#version = version;
    this.#checkedAt = startedAt;
  }

  #forget(): void {
    this.#values = new Map();
    this.#changes += 1;
  }
}
