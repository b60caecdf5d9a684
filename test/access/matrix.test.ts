import { expect, it } from '@jest/globals';
import { allRoutes } from '../../src/app/routes.js';
import { addressOf } from '../support/route-cases.js';
import { startApp, type TestApp } from '../support/app.js';
import { needsOf, type Deps, type Section } from './table.js';

// Route × kind of user on every alias, against the table of docs/interface.md §2.3 (test/access/table.ts).

const KEYS: Readonly<Record<string, Partial<Record<Section, 'read' | 'write'>>>> = {
  read_all_affiliates: { affiliates: 'read' },
  manage_all_affiliates: { affiliates: 'write' },
  read_all_referrals: { referrals: 'read' },
  manage_all_referrals: { referrals: 'write' },
  read_all_visits: { visits: 'read' },
  read_all_payouts: { payouts: 'read' },
  manage_all_payouts: { payouts: 'write' },
  manage_all_data: { affiliates: 'write', referrals: 'write', visits: 'write', payouts: 'write' },
};
const SECTIONS: readonly Section[] = ['affiliates', 'referrals', 'visits', 'payouts'];
const FILTERS = {
  affiliates: 'has_all_affiliate_access',
  referrals: 'has_all_referral_access',
  visits: 'has_all_visit_access',
  payouts: 'has_all_payout_access',
} as const;

interface Kind {
  readonly name: string;
  /** 0 is anonymous. */
  readonly user: number;
  readonly prepare?: (t: TestApp) => unknown;
  readonly allowed: (needs: Deps, level: 'read' | 'write') => boolean;
}

const delegated =
  (levels: Partial<Record<Section, 'read' | 'write'>>): Kind['allowed'] =>
  (needs, level) => {
    if (typeof needs === 'string') return needs === 'signed in';
    const own = levels[needs.prefix];
    return (
      own !== undefined &&
      (level === 'read' || own === 'write') &&
      (needs.also === undefined || levels[needs.also] !== undefined)
    );
  };
const filterAll = (t: TestApp, answer: boolean): void => {
  for (const section of SECTIONS) t.service.hooks.addFilter(FILTERS[section], () => answer);
};
const admin: Kind['allowed'] = (needs) => needs !== 'site';
const keys =
  (list: readonly string[]) =>
  (t: TestApp): unknown =>
    t.service.permissions.setPermissions(3, list);

const KINDS: readonly Kind[] = [
  { name: 'anonymous', user: 0, allowed: () => false },
  { name: 'plain user', user: 3, allowed: delegated({}) },
  ...['active', 'pending', 'inactive'].map((status): Kind => ({
    name: `${status} affiliate`,
    user: 3,
    prepare: (t) => t.records.affiliate({ user_id: 3, status }),
    allowed: delegated({}),
  })),
  ...Object.entries(KEYS).map(([key, levels]): Kind => ({
    name: key,
    user: 3,
    prepare: keys([key]),
    allowed: (needs, level) =>
      needs === 'send' ? key === 'manage_all_data' : delegated(levels)(needs, level),
  })),
  {
    name: 'a mixed manager',
    user: 3,
    prepare: keys(['read_all_affiliates', 'manage_all_payouts']),
    allowed: delegated({ affiliates: 'read', payouts: 'write' }),
  },
  {
    name: 'another mixed manager',
    user: 3,
    prepare: keys(['manage_all_affiliates', 'read_all_visits', 'read_all_referrals']),
    allowed: delegated({ affiliates: 'write', visits: 'read', referrals: 'read' }),
  },
  {
    name: 'a revoked manager',
    user: 3,
    allowed: delegated({}),
    prepare: async (t) => {
      await keys(['manage_all_data'])(t);
      await t.admin.delete('/settings/managers/3').expect(200);
    },
  },
  ...SECTIONS.map((section): Kind => ({
    name: `fa_view_${section}`,
    user: 3,
    prepare: (t) => {
      t.host.grant(3, `fa_view_${section}`);
    },
    allowed: (needs) => needs === 'signed in' || (typeof needs === 'object' && needs.prefix === section),
  })),
  ...SECTIONS.map((section): Kind => ({
    name: `a filter granting ${section}`,
    user: 3,
    prepare: (t) => t.service.hooks.addFilter(FILTERS[section], () => true),
    allowed: (needs) =>
      needs === 'signed in' ||
      (typeof needs === 'object' && needs.prefix === section && needs.also === undefined),
  })),
  {
    name: 'every filter granting',
    user: 3,
    prepare: (t) => {
      filterAll(t, true);
    },
    allowed: (needs) => needs === 'signed in' || typeof needs === 'object',
  },
  {
    name: 'manage_all_data, every filter refusing',
    user: 3,
    prepare: async (t) => {
      await keys(['manage_all_data'])(t);
      filterAll(t, false);
    },
    allowed: delegated({}),
  },
  { name: 'administrator', user: 1, allowed: admin },
  {
    name: 'administrator, every filter refusing',
    user: 1,
    prepare: (t) => {
      filterAll(t, false);
    },
    allowed: admin,
  },
];

const cells = allRoutes().flatMap((route) =>
  route.paths.map((path) => {
    const form = `${route.method.toUpperCase()} ${path}`;
    return { route, path, form, needs: needsOf(form) };
  }),
);
let counted = 0;

it('has a row of the table for every route', () => {
  expect(cells.filter(({ needs }) => needs === undefined).map(({ form }) => form)).toEqual([]);
});

it.each(KINDS)(
  'lets $name in where the table says so, and nowhere else',
  async ({ user, prepare, allowed }) => {
    const t = await startApp();
    await prepare?.(t);
    const client = t.as(user);
    const wrong: string[] = [];
    for (const { route, path, form, needs } of cells) {
      if (needs === undefined || needs === 'public') continue;
      const answer = await client[route.method](addressOf(path));
      const passed = answer.status !== 401 && answer.body.code !== 'rest_forbidden';
      if (passed !== allowed(needs, route.method === 'get' ? 'read' : 'write'))
        wrong.push(`${form}: ${answer.status}`);
      if (!passed && answer.status !== (user === 0 || needs === 'site' ? 401 : 403))
        wrong.push(`${form}: refused with ${answer.status}`);
      counted += 1;
    }
    expect(wrong).toEqual([]);
  },
);

it('prints how many cells were checked', () => {
  process.stdout.write(`${counted} cells of the access matrix, all exact\n`);
  expect(counted).toBe(KINDS.length * cells.filter(({ needs }) => needs !== 'public').length);
});
