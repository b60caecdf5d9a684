import type { Db } from '../../database/db.js';
import { countRemarks, storedEarnings, storedSums } from './repository.js';
import { emptySum, progressOf } from './state.js';
import type { ImportReport, ImportRun } from './types.js';

/** Sums of the source beside what is stored: found = imported + existing + skipped, and stored says what is there now. */
export async function reportOf(db: Db, run: ImportRun): Promise<ImportReport> {
  const { state, stage, source } = run;
  const stored = new Map((await storedSums(db, source)).map((sum) => [`${sum.status} ${sum.currency}`, sum]));
  const keys = [...new Set([...Object.keys(state.sums), ...stored.keys()])].sort();
  const remarks = await countRemarks(db, source);
  const reasons = (outcome: string): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const remark of remarks.filter((each) => each.outcome === outcome)) {
      for (const each of remark.reason.split(', ')) {
        const reason = each.replaceAll(/_-?\d[\d.]*(?=_|$)/gu, ''); // figures of a single row
        counts[reason] = (counts[reason] ?? 0) + remark.n;
      }
    }
    return counts;
  };
  return {
    source, stage, progress: progressOf(state, stage === 'completed'), stages: state.stages,
    sums: keys.map((key) => {
      const [status = '', currency = ''] = key.split(' ');
      return { status, currency, ...(state.sums[key] ?? emptySum()), stored: stored.get(key)?.n ?? 0, stored_minor: stored.get(key)?.minor ?? 0 };
    }),
    payments: state.payments, earnings: { ...state.stated, ...await storedEarnings(db, source) }, skipped: reasons('skipped'), noted: reasons('noted'), error: state.error,
  };
}
