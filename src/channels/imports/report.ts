import type { ReferralStatus } from '../../accounting/referrals/types.js';
import type { Deps } from './deps.js';
import { countRemarks, storedEarnings, storedSums } from './repository.js';
import { plainReason, sentenceOf } from './remarks.js';
import { emptySum, progressOf } from './state.js';
import type { ImportReport, ImportRun, RunState } from './types.js';
import type { ProgramSettings } from '../../../adapters/imports.js';

/**
 * Compares the sums of the source with what is stored: found = imported + existing + skipped. Right after a
 * run, stored = imported + existing + moved; moved are commissions that were unpaid in the old system and are
 * in an open payment now, under `paid`.
 */
export async function reportOf(
  app: Deps,
  run: ImportRun,
  program: ProgramSettings | null,
): Promise<ImportReport> {
  const { db } = app;
  const { state, stage, source } = run;
  const providers = new Set(app.commerce.keys());
  const stored = new Map((await storedSums(db, source)).map((sum) => [`${sum.status} ${sum.currency}`, sum]));
  const moved = movedBetween(state.claims);
  const keys = [...new Set([...Object.keys(state.sums), ...stored.keys(), ...moved.keys()])].sort();
  const remarks = await countRemarks(db, source);
  const reasons = (outcome: string): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const remark of remarks.filter((each) => each.outcome === outcome)) {
      for (const each of remark.reason.split(', ')) {
        const reason = plainReason(each);
        counts[reason] = (counts[reason] ?? 0) + remark.n;
      }
    }
    return counts;
  };
  const skipped = reasons('skipped');
  const noted = reasons('noted');
  return {
    source,
    stage,
    progress: progressOf(state, stage === 'completed'),
    stages: state.stages,
    sums: keys.map((key) => {
      const [status, currency = ''] = key.split(' ');
      const [now, away] = [stored.get(key), moved.get(key)];
      return {
        status: status as ReferralStatus, // keys are made of a status and a currency
        currency,
        ...(state.sums[key] ?? emptySum()),
        moved: away?.n ?? 0,
        moved_minor: away?.minor ?? 0,
        stored: now?.n ?? 0,
        stored_minor: now?.minor ?? 0,
      };
    }),
    payments: state.payments,
    program,
    setup: state.setup ?? null,
    unread: state.setup?.unread ?? [],
    links: state.links ?? null,
    providers: Object.fromEntries(
      Object.entries(state.providers ?? {}).map(([name, rows]) => [
        name,
        { rows, known: providers.has(name) },
      ]),
    ),
    earnings: { ...state.stated, ...(await storedEarnings(db, source)) },
    skipped,
    noted,
    sentences: Object.fromEntries(
      Object.keys({ ...skipped, ...noted }).map((reason) => [reason, sentenceOf(reason)]),
    ),
    error: state.error,
  };
}

function movedBetween(claims: RunState['claims']): Map<string, { n: number; minor: number }> {
  const moved = new Map<string, { n: number; minor: number }>();
  const add = (key: string, n: number, amount: number): void => {
    const known = moved.get(key);
    moved.set(key, { n: (known?.n ?? 0) + n, minor: (known?.minor ?? 0) + amount });
  };
  for (const [key, claim] of Object.entries(claims)) {
    add(key, -claim.n, -claim.minor);
    add(`paid ${key.split(' ')[1] ?? ''}`, claim.n, claim.minor);
  }
  return moved;
}
