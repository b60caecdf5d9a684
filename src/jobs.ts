import type { App } from './app.js';
import { MINUTE, HOUR, DAY } from './core/duration.js';
import type { Job } from './platform/jobs/runner.js';

/** All recurring work (docs/tracking.md §11). */
export const JOBS: readonly Job<App>[] = [
  { name: 'release-stranded-referrals', everyMs: HOUR, run: (app) => app.payouts.releaseStranded() },
  {
    name: 'long-work',
    everyMs: 0,
    aside: true,
    isDue: (app) => app.works.isWaiting(),
    run: (app) => app.works.resume(),
  },
  { name: 'queue-digest', everyMs: HOUR, run: (app) => app.emails.queueDigest() },
  { name: 'report-stale-referrals', everyMs: DAY, run: (app) => app.referrals.reportStale() },
  {
    name: 'deliver-mails',
    everyMs: 0,
    aside: true,
    isDue: (app) => app.emails.isDue(),
    run: (app) => app.emails.deliverDue(),
  },
  {
    name: 'queue-messages',
    everyMs: 0,
    isDue: (app) => app.messages.isDue(),
    run: (app) => app.messages.queueStep(),
  },
  {
    name: 'line-up-events',
    everyMs: 0,
    isDue: (app) => app.events.isWaiting(),
    run: (app) => app.events.lineUp(),
  },
  {
    name: 'deliver-events',
    everyMs: 0,
    aside: true,
    isDue: (app) => app.events.isDue(),
    run: (app) => app.events.deliverDue(),
  },
  { name: 'purge-events', everyMs: DAY, run: (app) => app.events.purge() },
  { name: 'purge-audit', everyMs: DAY, run: (app) => app.audit.purge() },
  { name: 'purge-outbox', everyMs: DAY, run: (app) => app.outbox.purge() },
  { name: 'purge-visits', everyMs: DAY, aside: true, run: (app) => app.tracking.purge() },
  { name: 'purge-addresses', everyMs: DAY, run: (app) => app.customers.purge() },
  { name: 'purge-skipped', everyMs: DAY, run: (app) => app.conversions.purge() },
  { name: 'qualify-leads', everyMs: HOUR, run: (app) => app.conversions.qualifyPaidLeads() },
  { name: 'reward-goals', everyMs: MINUTE, run: (app) => app.goals.settleGoals() },
  { name: 'reward-levels', everyMs: HOUR, run: (app) => app.goals.moveLevels() },
  { name: 'mark-payout-destinations', everyMs: HOUR, run: (app) => app.fraud.catchUp() },
  { name: 'purge-fraud', everyMs: DAY, run: (app) => app.fraud.purge() },
  { name: 'creative-schedule', everyMs: MINUTE, run: (app) => app.creatives.sweep() },
  { name: 'shop-events', everyMs: 0, run: (app) => app.integrations.workDue() },
  {
    name: 'shop-sweep',
    everyMs: MINUTE,
    isDue: (app) => app.integrations.isSweepDue(),
    run: (app) => app.integrations.sweep(),
  },
  { name: 'purge-shop-events', everyMs: DAY, run: (app) => app.integrations.purge() },
  {
    name: 'imports',
    everyMs: 0,
    isDue: (app) => app.migrations.isDue(),
    run: async (app) => app.migrations.resume(),
  },
  {
    name: 'send-payments',
    everyMs: 0,
    aside: true,
    isDue: (app) => app.payers.isCallDue(),
    run: (app) => app.payers.callDue(),
  },
  {
    name: 'follow-payments',
    everyMs: 0,
    aside: true,
    isDue: (app) => app.payers.isFollowDue(),
    run: (app) => app.payers.followDue(),
  },
  { name: 'reconcile-payments', everyMs: DAY, aside: true, run: (app) => app.payers.reconcileAll() },
  { name: 'payout-schedule', everyMs: HOUR, run: (app) => app.payers.runSchedule() },
  { name: 'purge-invitations', everyMs: DAY, run: (app) => app.invitations.purge() },
  { name: 'purge-expired', everyMs: HOUR, run: (app) => purgeExpired(app) },
  { name: 'look-for-deleted-users', everyMs: DAY, run: (app) => app.accounts.lookForDeleted() },
  {
    name: 'audit-books',
    everyMs: DAY,
    run: async (app) => {
      const violations = await app.ledger.verify();
      if (violations.length > 0)
        app.log.error('the books do not balance', {
          violations: violations.slice(0, 20),
          count: violations.length,
        });
    },
  },
];

// Rows that only matter for a while; each table has an index on the time they end.
async function purgeExpired(app: App): Promise<void> {
  const now = app.clock.now();
  for (const table of [
    'idempotency_keys',
    'site_nonces',
    'early_reports',
    'rate_limits',
    'signup_challenges',
  ] as const) {
    await app.db(table).where('expires_at', '<', now).delete();
  }
}
