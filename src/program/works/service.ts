import { MINUTE } from '../../core/duration.js';
import type { Platform } from '../../platform/platform.js';
import type { Row } from '../../platform/database/db.js';
import { works } from './record.js';
import type { Told, Work, WorkKind } from './types.js';

/** Work without a report for this long belonged to a process that has ended. */
const LOST_MS = 10 * MINUTE;

/**
 * Keeps track of long work of all processes, outside the transactions of the work itself: its screen can be
 * left and found again, also by somebody else.
 */
export class WorksService {
  constructor(private readonly app: Platform) {}

  /** Reports the progress of the work; the first call begins it, `end` ends it. */
  async tell({ kind, object_id = 0, done, total, details = {} }: Told): Promise<void> {
    const now = this.app.clock.now();
    const row = works.toRow({ kind, object_id, done, total, details, started_at: now, seen_at: now });
    const changing = ['done', 'total', 'details', 'seen_at'];
    await this.app.db.dialect.upsert(this.app.db, 'works', [row], ['kind', 'object_id'], changing);
  }

  async end(kind: WorkKind, objectId = 0): Promise<void> {
    await this.app.db('works').where({ kind, object_id: objectId }).delete();
  }

  /** Reports the work from its beginning to its end, even if it fails. */
  async during<T>(told: Told, work: () => Promise<T>): Promise<T> {
    await this.end(told.kind, told.object_id); // left by a process that was killed
    await this.tell(told);
    try {
      return await work();
    } finally {
      await this.end(told.kind, told.object_id);
    }
  }

  async find(kind: WorkKind, objectId = 0): Promise<Work | null> {
    const row: Row | undefined = await this.app
      .db('works')
      .first(works.columns)
      .where({ kind, object_id: objectId });
    return row ? works.fromRow(row) : null;
  }

  /** Work that is running, and work that was begun and can be continued. */
  async list(kinds: readonly WorkKind[]): Promise<Work[]> {
    const rows: Row[] = await this.app
      .db('works')
      .select(works.columns)
      .whereIn('kind', kinds)
      .orderBy('started_at');
    const now = this.app.clock.now();
    return rows
      .map((row) => works.fromRow(row))
      .filter((work) => work.kind === 'payout_undo' || now - work.seen_at < LOST_MS);
  }
}
