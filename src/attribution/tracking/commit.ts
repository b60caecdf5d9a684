import type { Db } from '../../platform/database/db.js';
import { HOUR } from '../../core/duration.js';
import type { Deps } from './deps.js';
import { countNewVisits, findVisitKeys, insertVisitKeys, readStatuses } from './repository.js';
import type { Click, ClickOutcome } from './types.js';

/** Clicks that are one visit: the first one is stored, and all of them get its id. */
interface Candidate {
  readonly click: Click;
  readonly members: number[];
  outcome: ClickOutcome | null;
}

/**
 * Stores a group of clicks in one transaction, and locks in the usual order: affiliates, limits, then rows.
 * Counting the clicks locks the affiliates, so the search for repeats sees every visit that was committed
 * before. Clicks that turn out to be no new visits are then subtracted again.
 */
export async function commitClicks(app: Deps, trx: Db, clicks: readonly Click[]): Promise<ClickOutcome[]> {
  const candidates = gather(clicks);
  const counted = await countClicks(app, trx, candidates);
  await findRepeats(app, trx, open(candidates));
  await applyFloodLimit(trx, open(candidates), app.clock.now());
  await takeBack(app, trx, { counted, stored: perAffiliate(open(candidates)) });
  await insertNew(app, trx, open(candidates));
  const outcomes: ClickOutcome[] = [];
  for (const { members, outcome } of candidates)
    for (const at of members) outcomes[at] = outcome ?? NOT_STORED;
  return outcomes;
}

type Counts = ReadonlyMap<number, number>;

/** Candidates of each affiliate, in the order of the ids. */
function perAffiliate(candidates: readonly Candidate[]): Counts {
  const counts = new Map<number, number>();
  for (const { click } of candidates) counts.set(click.affiliateId, (counts.get(click.affiliateId) ?? 0) + 1);
  return new Map([...counts].sort(([a], [b]) => a - b));
}

/** Counts the candidates of active affiliates, and refuses the others. */
async function countClicks(app: Deps, trx: Db, candidates: readonly Candidate[]): Promise<Counts> {
  const counted = new Map<number, number>();
  const refused: number[] = [];
  for (const [id, count] of perAffiliate(candidates)) {
    if (await app.visits.count(trx, id, count, { active: true })) counted.set(id, count);
    else refused.push(id);
  }
  if (refused.length > 0) {
    const statuses = await readStatuses(trx, refused);
    for (const candidate of candidates)
      if (!counted.has(candidate.click.affiliateId))
        candidate.outcome = refusal(statuses.get(candidate.click.affiliateId));
  }
  return counted;
}

async function takeBack(
  app: Deps,
  trx: Db,
  { counted, stored }: { readonly counted: Counts; readonly stored: Counts },
): Promise<void> {
  for (const [id, count] of counted) {
    const surplus = count - (stored.get(id) ?? 0);
    if (surplus > 0) await app.visits.count(trx, id, -surplus);
  }
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

const refusal = (status: string | undefined): ClickOutcome => ({
  message: status === undefined ? 'invalid aff' : 'affiliate_inactive',
  visit: null,
  visitId: null,
});

const repeated = (visitId: number): ClickOutcome => ({ message: 'success', visit: null, visitId });

/** The keys of this window and of the one before. Together they cover a whole window before any moment. */
const visitKeys = (click: Click): [current: string, previous: string] => {
  const slot = Math.floor(click.at / click.windowMs);
  const key = (at: number): string => `${click.affiliateId}:${click.windowMs}:${at}:${click.dedupKey}`;
  return [key(slot), key(slot - 1)];
};

async function findRepeats(app: Deps, trx: Db, candidates: readonly Candidate[]): Promise<void> {
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
  for (let width = 0; ; width++) {
    const limited = candidates.flatMap((candidate) => {
      const flood = candidate.outcome === null ? candidate.click.flood[width] : undefined;
      return flood ? [{ candidate, ...flood }] : [];
    });
    if (limited.length === 0) return;
    const limit = Math.max(...limited.map((each) => each.limit));
    const hits = limited.map(({ key }) => ({ limit_key: key, points: 1, expires_at: now + HOUR }));
    const counts = await countNewVisits(trx, hits, { now, limit });
    // The last hits of a key are the ones beyond its limit.
    for (const { candidate, key, limit: most } of limited.toReversed()) {
      const count = counts.get(key) ?? 0;
      if (count > most) candidate.outcome = { message: 'throttled', visit: null, visitId: null };
      counts.set(key, count - 1);
    }
  }
}

async function insertNew(app: Deps, trx: Db, candidates: readonly Candidate[]): Promise<void> {
  if (candidates.length === 0) return;
  const rows = candidates.map(({ click }) => ({
    ...click.row,
    affiliate_id: click.affiliateId,
    created_at: click.at,
    updated_at: click.at,
  }));
  const stored = await app.visits.insertCounted(trx, rows, (visits) => {
    const keys = candidates.flatMap(({ click }, at) =>
      click.dedupKey === null
        ? []
        : [{ visit_key: visitKeys(click)[0], visit_id: visits[at]!.id, created_at: click.at }],
    );
    return insertVisitKeys(trx, keys);
  });
  for (const [at, visit] of stored.entries())
    candidates[at]!.outcome = { message: 'success', visit, visitId: visit.id };
}
