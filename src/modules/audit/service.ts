import type { App } from '../../app.js';
import type { Db } from '../../database/db.js';

export interface AuditInput {
  readonly action: string;
  readonly object_type: string;
  readonly object_id: string | number | null;
  /** Never a secret; amounts in minor units. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Who changed money, payment addresses, rates or rights: one row in the transaction of the change (reliability G16). */
export class AuditService {
  constructor(private readonly app: App) {}

  async write(trx: Db, input: AuditInput): Promise<void> {
    const { user, requestId } = this.app.context.current();
    await trx('audit').insert({
      actor_id: user?.id ?? null,
      action: input.action,
      object_type: input.object_type,
      object_id: input.object_id === null ? null : String(input.object_id),
      before: input.before === undefined ? null : JSON.stringify(input.before),
      after: input.after === undefined ? null : JSON.stringify(input.after),
      request_id: requestId,
      created_at: this.app.clock.now(),
    });
  }
}
