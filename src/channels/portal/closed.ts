import { isMap } from '../../core/is-map.js';
import type { AuditService } from '../../program/audit/service.js';
import type { AuditRow } from '../../program/audit/types.js';
import type { ClosedAccount } from './schemas.js';

/** The last entries of an affiliate; one of them closed the account. */
const LAST = { page: 1, per_page: 50, order_type: 'DESC' } as const;

/** What the audit log knows of the end of this account; null where the entry was deleted. */
export async function closedAccountOf(audit: AuditService, affiliateId: number): Promise<ClosedAccount> {
  const { rows } = await audit.list({ ...LAST, affiliate_id: affiliateId });
  const at = rows.findIndex(
    (entry) => entry.action === 'affiliate.updated' && valueOf(entry.after, 'status'),
  );
  if (at === -1) return null;
  // Newest first: an entry about the same change was written after it.
  const about = (action: string): AuditRow | undefined =>
    rows.slice(0, at).find((entry) => entry.action === action);
  if (about('affiliate.left')) return { why: 'left', reason: null };
  if (valueOf(rows[at]?.before, 'status') !== 'pending') return { why: 'closed', reason: null };
  return { why: 'rejected', reason: valueOf(about('affiliate.status_reason')?.after, 'reason') };
}

function valueOf(entry: unknown, key: string): string | null {
  const value = isMap(entry) ? entry[key] : null;
  return typeof value === 'string' ? value : null;
}
