import { KEY_RIGHTS, type KeyRight } from '../../platform/access/key-rights.js';
import { array, oneOf } from '../../core/dto-schema.js';
import { id, jsonOr, line, ref, time, timeOrNone } from '../../records/fields.js';
import { record, type RecordOf } from '../../records/record.js';

/**
 * A key for scripts and servers. It belongs to a user of the host and never allows more than that user may
 * do. The hash of its secret (column `secret_hash`) is not included, so the record can be passed on.
 */
export const apiKeys = record('api_keys', {
  id: id(),
  /** The public part of the key: 8 letters and digits. */
  key_id: line(),
  name: line({ audit: true }),
  rights: jsonOr<readonly KeyRight[]>([], array(oneOf(...KEY_RIGHTS)), { audit: true }),
  user_id: id({ audit: true }),
  /** The administrator who made it; null for code. */
  created_by: ref(),
  /** Null: never expires. */
  expires_at: timeOrNone({ audit: true }),
  /** To the minute; null: never used. */
  last_used_at: timeOrNone(),
  created_at: time(),
  updated_at: time(),
});

export type ApiKey = RecordOf<typeof apiKeys>;
