import type { Db } from '../../platform/database/db.js';
import type { Needs } from './needs.js';
import {
  findVisitKeys,
  insertVisitKeys,
  lockAffiliates,
  lockFloodCounts,
  writeFloodCounts,
} from './repository.js';
import type { Click, ClickOutcome } from './types.js';

const HOUR = 3_600_000;

/** Clicks that are one visit: the first one is stored, and all of them get its id as the answer. */
interface Candidate {
  readonly click: Click;
  readonly members: number[];
  outcome: ClickOutcome | null;
}

/**
 * Stores a group of clicks in one transaction, and locks in the usual order: affiliates, limits, then rows.
 * While the affiliates are locked, the search for repeats sees every visit that was committed before it.
 */
export async function commitClicks(app: Needs, trx: Db, clicks: readonly Click[]): Promise<ClickOutcome[]> {
  const statuses = await lockAffiliates(
    trx,
    [...new Set(clicks.map((click) => click.affiliateId))].sort((a, b) => a - b),
  );
  const candidates = gather(clicks);
  for (const candidate of candidates) candidate.outcome = refusal(statuses.get(candidate.click.affiliateId));
  await findRepeats(app, trx, open(candidates));
  await applyFloodLimit(trx, open(candidates), app.clock.now());
  await insertNew(app, trx, open(candidates));
  const outcomes: ClickOutcome[] = [];
  for (const { members, outcome } of candidates)
    for (const at of members) outcomes[at] = outcome ?? NOT_STORED;
  return outcomes;
}

const NOT_STORED: ClickOutcome = { message: 'no', visit: null, visitId: null };
const open = (candidates: readonly Candidate[]): Candidate[] =>
  candidates.filter((candidate) => candidate.outcome === null);

function gather(clicks: readonly Click[]): Candidate[] {
  const candidates = new Map<string, Candidate>();
  for (const [at, click] of clicks.entries()) {
    const identity = identityOf(click) ?? `#${at}`;
    const known = candidates.get(identity);
    if (known) known.members.push(at);
    else candidates.set(identity, { click, members: [at], outcome: null });
  }
  return [...candidates.values()];
}

function identityOf({ affiliateId, dedupKey, row }: Click): string | null {
  if (row.event_id !== null) return `${row.site_id} ${row.event_id}`;
  return dedupKey === null ? null : `${affiliateId} ${dedupKey}`;
}

function refusal(status: string | undefined): ClickOutcome | null {
  if (status === undefined) return { message: 'invalid aff', visit: null, visitId: null };
  return status === 'active' ? null : { message: 'affiliate_inactive', visit: null, visitId: null };
}

const repeated = (visitId: number): ClickOutcome => ({ message: 'success', visit: null, visitId });

/** The keys of this window and of the one before. Together they cover a whole window before any moment. */
const visitKeys = (click: Click): [current: string, previous: string] => {
  const slot = Math.floor(click.at / click.windowMs);
  const key = (at: number): string => `${click.affiliateId}:${click.windowMs}:${at}:${click.dedupKey}`;
  return [key(slot), key(slot - 1)];
};

async function findRepeats(app: Needs, trx: Db, candidates: readonly Candidate[]): Promise<void> {
  const keyed = candidates.filter(({ click }) => click.dedupKey !== null);
  const known = await findVisitKeys(
    trx,
    keyed.flatMap(({ click }) => visitKeys(click)),
  );
  for (const candidate of keyed) {
    const { click } = candidate;
    const earlier = visitKeys(click)
      .map((key) => known.get(key))
      .find((visit) => visit && visit.created_at > click.at - click.windowMs);
    if (earlier) candidate.outcome = repeated(earlier.visit_id);
  }
  for (const candidate of candidates) {
    const { site_id: site, event_id: event } = candidate.click.row;
    const earlier = site !== null && event !== null ? await app.visits.findByEvent(site, event) : null;
    if (earlier) candidate.outcome = repeated(earlier.id);
  }
}

/** Limits the new visits per address until an hour without one has passed (docs/tracking.md §3, check 7). */
async function applyFloodLimit(trx: Db, candidates: readonly Candidate[], now: number): Promise<void> {
  const limited = candidates.filter(({ click }) => click.floodKey !== null);
  if (limited.length === 0) return;
  const counts = await lockFloodCounts(
    trx,
    [...new Set(limited.map(({ click }) => click.floodKey!))],
    now + HOUR,
  );
  for (const candidate of limited) {
    const count = counts.get(candidate.click.floodKey!);
    if (!count) continue;
    if (count.expires_at <= now) count.points = 0;
    if (count.points >= candidate.click.floodLimit) {
      candidate.outcome = { message: 'throttled', visit: null, visitId: null };
      continue;
    }
    count.points += 1;
    count.expires_at = now + HOUR;
  }
  await writeFloodCounts(trx, counts);
}

async function insertNew(app: Needs, trx: Db, candidates: readonly Candidate[]): Promise<void> {
  if (candidates.length === 0) return;
  const visits = await app.visits.insertMany(
    trx,
    candidates.map(({ click }) => ({
      ...click.row,
      affiliate_id: click.affiliateId,
      created_at: click.at,
      updated_at: click.at,
    })),
  );
  for (const [at, visit] of visits.entries())
    candidates[at]!.outcome = { message: 'success', visit, visitId: visit.id };
  await insertVisitKeys(
    trx,
    candidates
      .filter(({ click }) => click.dedupKey !== null)
      .map(({ click, outcome }) => ({
        visit_key: visitKeys(click)[0],
        visit_id: outcome!.visitId!,
        created_at: click.at,
      })),
  );
}
