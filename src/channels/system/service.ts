import { createdOf, type DayQuery } from '../../records/filters.js';
import { toIso } from '../../core/dates.js';
import { offsetOf, type Page } from '../../core/page.js';
import { cut, plainLine } from '../../core/text.js';
import { OPERATION_KINDS } from '../../program/operations/types.js';
import type { Deps } from './deps.js';
import * as store from './queries.js';
import { afterRestore, type RestoreReport } from './restore.js';
import { outboxEntries, type OutboxEntry } from './record.js';
import type { OutboxEntryDto, SystemState } from './schemas.js';

interface OutboxQuery extends DayQuery {
  readonly page: number;
  readonly per_page: number;
  /** `pending`, `sent`, `skipped` or `dead`; blank for all. */
  readonly status: string;
}

const ANSWER_LENGTH = 500;

/** What the mail server said, in one line; what an endpoint responded is in the list of its deliveries. */
const mailAnswerOf = ({ channel, answer }: OutboxEntry): string | null =>
  channel === 'mail' && answer !== null ? cut(plainLine(answer), ANSWER_LENGTH) : null;

/** How the service itself is doing, for those who run it. */
export class SystemService {
  constructor(private readonly app: Deps) {}

  async state(): Promise<SystemState> {
    const { db, options } = this.app;
    const schema = await store.schemaState(db);
    const jobs = await store.jobTimes(db);
    const outbox = await store.outboxCounts(db);
    const time = (at: number): string | null => (at === 0 ? null : toIso(at));
    const list = jobs.map(({ name, last_run_at, next_run_at }) => ({
      name,
      last_run_at: time(last_run_at),
      next_run_at: time(next_run_at),
    }));
    return {
      schema,
      database: db.dialect.name,
      size_bytes: await store.databaseSize(db),
      risks: await this.app.risks(),
      jobs: { enabled: options.jobs, list },
      works: (await this.app.operations.list(OPERATION_KINDS)).map((work) => ({
        kind: work.kind,
        payout_id: work.object_id === 0 || !work.kind.startsWith('payout') ? null : work.object_id,
        running: work.state !== 'stopped',
        ...this.app.operations.progress(work),
        repaired: Number(work.details['repaired'] ?? 0),
      })),
      outbox,
    };
  }

  /** Resumes stopped operations in the background. Returns how many there were. */
  async resume(): Promise<number> {
    const works = await this.app.operations.list(OPERATION_KINDS);
    const stopped = works.filter(({ state }) => state === 'stopped');
    for (const { kind, object_id: id } of stopped) await this.app.operations.goOn(kind, id);
    return stopped.length;
  }

  async outbox({ page, per_page, status, ...days }: OutboxQuery): Promise<Page<OutboxEntryDto>> {
    const filter = { status, created: createdOf(days, this.app.host.site().timeZone) };
    const total = await store.countOutbox(this.app.db, filter);
    const rows = await store.listOutbox(this.app.db, filter, {
      limit: per_page,
      offset: offsetOf({ page, per_page }),
    });
    const names = await this.#namesOf(rows.map(({ recipient }) => recipient));
    const named = rows.map((row) => ({
      ...outboxEntries.present(row),
      answer: mailAnswerOf(row),
      recipient_name: names.get(row.recipient) ?? null,
    }));
    return { rows: named, total, page, per_page };
  }

  /** Affiliates by name, webhooks by address. Other recipients, and those deleted since, are omitted. */
  async #namesOf(recipients: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const affiliates = await this.app.affiliates.names(recipients.map(affiliateOf));
    const endpoints = await this.app.webhooks.endpoints();
    return new Map([
      ...[...affiliates].map(([id, name]) => [`affiliate:${id}`, name] as const),
      ...endpoints.map(({ id, url }) => [`webhook:${id}`, url] as const),
    ]);
  }

  /** A staging copy sends no mail until it goes live. */
  markAsCopy(isCopy = true): Promise<void> {
    return this.app.settings.markAsCopy(isCopy);
  }

  /** Retries every message that failed permanently. Returns how many. */
  retryDead(): Promise<number> {
    return store.reviveAll(this.app.db, this.app.clock.now());
  }

  /** Prepares a restored database for the start (docs/operating.md). */
  afterRestore(waiting: 'send' | 'skip'): Promise<RestoreReport> {
    return afterRestore(this.app, waiting);
  }

  /** Retries a failed entry; false when there is none with this id. */
  retry(id: number): Promise<boolean> {
    return store.revive(this.app.db, id, this.app.clock.now());
  }
}

/** The affiliate whom a message is for; null for other recipients. */
function affiliateOf(recipient: string): number | null {
  const id = Number(/^affiliate:(\d+)$/.exec(recipient)?.[1] ?? 0);
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}
