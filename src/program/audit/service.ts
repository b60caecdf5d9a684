import type { HooksOf } from '../../platform/hooks/fire.js';
import type { Platform } from '../../platform/platform.js';
import type { Db } from '../../platform/database/db.js';
import type { Page } from '../../core/page.js';
import { PERSONAL_FIELDS, withFields } from '../../core/personal-fields.js';
import { createdOf } from '../../records/filters.js';
import { DAY } from '../../core/duration.js';
import type { auditHooks } from './hooks.js';
import { madeWithKey, pageOfAudit, purgeAudit } from './queries.js';
import type { AuditEntry, AuditQuery, AuditRow, MadeObject } from './types.js';

const PURPOSE = 'audit';
/** A personal value in an entry: the start of its keyed hash. */
const HASH = /^hash:[0-9a-f]{16}$/;
const HASH_LENGTH = 16;

/** Never a secret; amounts in minor units. Personal fields are stored as keyed hashes. */
export interface AuditedValues {
  readonly before?: unknown;
  readonly after?: unknown;
}

/**
 * Who changed money, payment addresses, rates or rights:
 * one row in the transaction of the change (docs/reliability.md §1).
 */
export class AuditService {
  constructor(private readonly app: Platform & { readonly hooks: HooksOf<typeof auditHooks> }) {}

  /** Writes an entry about the object with this type and id. */
  async write(
    trx: Db,
    action: string,
    [object_type, object_id]: readonly [type: string, id: string | number | null],
    values: AuditedValues = {},
  ): Promise<void> {
    const { user, apiKey, requestId } = this.app.context.current();
    const [before, after] = [values.before ?? null, values.after ?? null].map((each) => this.conceal(each));
    const entry: AuditEntry = {
      actor_id: user?.id ?? null,
      api_key_id: apiKey?.id ?? null,
      action,
      object_type,
      object_id: object_id === null ? null : String(object_id),
      before,
      after,
      request_id: requestId,
      created_at: this.app.clock.now(),
    };
    const row = { ...entry, before: jsonOrNull(before), after: jsonOrNull(after) };
    await trx.dialect.insertRows(trx, 'audit', [row]);
    if (this.app.hooks.isUsed('audit')) trx.afterCommit(() => this.app.hooks.doAction('audit', entry));
  }

  /** The newest objects that were made with an API key and outlive it. */
  madeWith(db: Db, apiKeyId: number): Promise<MadeObject[]> {
    return madeWithKey(db, apiKeyId);
  }

  /**
   * The values with keyed hashes in place of personal ones, so that an entry shows that something changed, and not
   * the address. `more`: further fields.
   */
  conceal(values: unknown, more: readonly string[] = []): unknown {
    return withFields(values, new Set([...PERSONAL_FIELDS, ...more]), (value) => this.#hash(value));
  }

  #hash(value: unknown): unknown {
    if (isBlank(value) || typeof value === 'number' || typeof value === 'boolean') return value;
    if (typeof value === 'string' && HASH.test(value)) return value;
    return `hash:${this.app.secrets.sign(PURPOSE, JSON.stringify(value)).slice(0, HASH_LENGTH)}`;
  }

  /** The retention job; `audit.retentionDays`. Returns how many entries were deleted. */
  async purge(now: number = this.app.clock.now()): Promise<number> {
    const { retentionDays: days } = this.app.options.audit;
    return days > 0 ? purgeAudit(this.app.db, now - days * DAY) : 0;
  }

  /** What was changed, the newest first. */
  async list(query: AuditQuery): Promise<Page<AuditRow>> {
    const { page, per_page, order_type, day = '' } = query;
    const words = (['object_type', 'object_id', 'action'] as const).flatMap((name) =>
      query[name] ? [[name, query[name]] as const] : [],
    );
    const actor: Record<string, number | null> =
      query.actor_id === undefined ? {} : { actor_id: query.actor_id === 0 ? null : query.actor_id };
    const key: Record<string, number> =
      query.api_key_id === undefined ? {} : { api_key_id: query.api_key_id };
    const { timeZone } = this.app.host.site();
    return pageOfAudit(this.app.db, {
      page,
      per_page,
      order_type,
      equals: { ...Object.fromEntries(words), ...actor, ...key },
      affiliateId: query.affiliate_id ?? null,
      created: [createdOf({ date_from: day, date_to: day }, timeZone), createdOf(query, timeZone)],
    });
  }
}

const isBlank = (value: unknown): boolean =>
  value === null || value === '' || ['[]', '{}'].includes(JSON.stringify(value));

const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
