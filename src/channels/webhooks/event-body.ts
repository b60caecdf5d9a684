import { createHash } from 'node:crypto';
import { PAYMENT_FIELDS, PERSONAL_FIELDS, withFields } from '../../core/personal-fields.js';
import type { Row } from '../../platform/database/db.js';
import type { EventData } from '../../program/event-log/types.js';
import type { Deps } from './deps.js';
import type { EventBody } from './schemas.js';
import type { OutgoingEvent } from './types.js';

/** The record of a stored row as the REST interface returns it. */
export async function dtoOf(app: Deps, objectType: string, row: Row): Promise<EventData> {
  if (objectType === 'referral') return app.referrals.dtoOfRow(row);
  if (objectType === 'payout_transaction') return app.payouts.transactionDto(row);
  throw new Error(`No event keeps rows of ${objectType}.`);
}

/** A copy without payment details on any level. */
const withoutPaymentDetails = (record: EventData): EventData =>
  withFields(record, PAYMENT_FIELDS, () => undefined) as EventData;

const MARK_LENGTH = 8;

/**
 * The `webhook-id`, the same on every try. After a backup was restored, ids are given again; a mark of the
 * change prevents receivers from dropping the new event as one they have seen.
 */
export function webhookId({
  id,
  type,
  object_id,
  created_at,
}: Pick<OutgoingEvent, 'id' | 'type' | 'object_id' | 'created_at'>): string {
  const mark = createHash('sha256')
    .update(JSON.stringify([type, object_id, created_at]))
    .digest('hex');
  return `evt_${id}_${mark.slice(0, MARK_LENGTH)}`;
}

/** The body of an event as it is sent and listed. */
export function bodyOf(
  event: Pick<OutgoingEvent, 'type' | 'created_at' | 'data' | 'previous'>,
  { paymentDetails }: { readonly paymentDetails: boolean },
): EventBody {
  const shown = (record: EventData): EventData => (paymentDetails ? record : withoutPaymentDetails(record));
  return {
    type: event.type,
    timestamp: new Date(event.created_at).toISOString(),
    data: shown(event.data),
    previous: shown(event.previous),
  };
}

/** For readers of settings who may not read affiliates: personal fields are empty, and not among the changed ones. */
export const withoutPersons = <E extends Pick<EventBody, 'data' | 'previous'>>(event: E): E => ({
  ...event,
  data: withFields(event.data, PERSONAL_FIELDS, emptied) as EventData,
  previous: withFields(event.previous, PERSONAL_FIELDS, () => undefined) as EventData,
});

function emptied(value: unknown, field: string): unknown {
  if (field === 'custom_fields') return [];
  return typeof value === 'string' && NEVER_NULL.has(field) ? '' : null;
}
const NEVER_NULL: ReadonlySet<string> = new Set(['full_name', 'bank_details']);
