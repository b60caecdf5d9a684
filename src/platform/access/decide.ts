import type { HostUser } from '../../../adapters/host.js';
import type { Platform } from '../platform.js';
import { expandPermissions, levelOf, managesAnything, type PermissionKey } from './keys.js';
import { keyOpens, type KeyRight } from './key-rights.js';
import { AccessMemo, type Need } from './memo.js';
import type { Policy, Section } from './policies.js';

export type { Need } from './memo.js';
export { AccessMemo } from './memo.js';

export interface Caller {
  readonly user: HostUser | null;
  /** Shared by all questions of one request. */
  readonly memo?: AccessMemo;
  /** The rights of the API key the request came with; the caller gets no more than these. */
  readonly rights?: readonly KeyRight[] | null;
}

/** The request behind a question, in the form that filters see: no headers, query or body. */
export interface RequestSummary {
  readonly id: string;
  readonly method: string;
  readonly url: string;
}

type SectionPolicy = Extract<Policy, { kind: 'section' }>;
interface Question {
  readonly app: Platform;
  readonly user: HostUser;
  readonly memo: AccessMemo;
  readonly need: Need;
  readonly request: RequestSummary | null;
}

const FILTERS = {
  affiliates: 'has_all_affiliate_access',
  referrals: 'has_all_referral_access',
  visits: 'has_all_visit_access',
  payouts: 'has_all_payout_access',
} as const satisfies Record<Section, string>;

/**
 * May this caller do this? Checked in this order: administrator, host capability, delegated key, filter
 * (docs/interface.md §2.2). Without a yes, it is refused.
 */
export async function decide(
  app: Platform,
  caller: Caller,
  policy: Policy,
  need: Need,
  request: RequestSummary | null = null,
): Promise<boolean> {
  if (policy.kind === 'public') return true;
  // The guard has checked the credentials of a site; a user never has access to a route for sites.
  if (caller.user === null || policy.kind === 'site') return false;
  if (caller.rights && !keyOpens(caller.rights, policy, need)) return false;
  if (policy.kind === 'signed_in') return true;
  const question: Question = { app, user: caller.user, memo: caller.memo ?? new AccessMemo(), need, request };
  if (await question.memo.can(app, caller.user, 'manage_options')) return true;
  return policy.kind === 'admin'
    ? opensSettings(question, policy.delegable)
    : passesSection(question, policy);
}

/** The options that let delegated keys read or change settings; off by default (docs/interface.md §2.4). */
async function opensSettings(
  { app, user, memo, need }: Question,
  delegable: 'settings' | 'options' | undefined,
): Promise<boolean> {
  const { manageAllDataOpensSettings, managersMayReadOptions } = app.options.access;
  if (
    delegable !== undefined &&
    manageAllDataOpensSettings &&
    (await memo.stored(app, user)).includes('manage_all_data')
  )
    return true;
  return (
    delegable === 'options' &&
    managersMayReadOptions &&
    need === 'read' &&
    managesAnything(await memo.stored(app, user))
  );
}

/**
 * For a list below another record, access to the listed section is needed too; the host's capability for the
 * outer section covers both.
 */
async function passesSection(question: Question, { section, also, sends }: SectionPolicy): Promise<boolean> {
  if (sends && !maySend(await question.memo.stored(question.app, question.user))) return false;
  const capable = await isCapable(question, section);
  const stored = capable ? [] : await question.memo.stored(question.app, question.user);
  const allowed = await filtered(question, section, capable || reaches(stored, section, question.need));
  if (!allowed || also === undefined) return allowed;
  return filtered({ ...question, need: 'read' }, also, capable || reaches(stored, also, 'read'));
}

const maySend = (stored: readonly PermissionKey[]): boolean => expandPermissions(stored).has('send_messages');

async function isCapable({ app, user, memo, need }: Question, section: Section): Promise<boolean> {
  if (need === 'write' && app.options.access.viewCapabilitiesReadOnly) return false;
  return memo.can(app, user, `fa_view_${section}`);
}

function reaches(stored: readonly PermissionKey[], section: Section, need: Need): boolean {
  const level = levelOf(stored, section);
  return level === 'write' || level === need;
}

/** For all users but administrators, the filter decides last. */
async function filtered(
  { app, user, memo, need, request }: Question,
  section: Section,
  current: boolean,
): Promise<boolean> {
  const name = FILTERS[section];
  if (!app.hooks.isUsed(name)) return current;
  const seen = request === null ? null : { id: request.id, method: request.method, url: request.url };
  const verdict = memo.verdict(section, need, current, () =>
    app.hooks.with({ access: need }).applyFilters(name, current, { user, section, need, request: seen }),
  );
  const response = await verdict.verdict;
  // A filter that returns what it was given has decided nothing, even when the next question starts from
  // another outcome.
  return response === verdict.current ? current : response;
}
