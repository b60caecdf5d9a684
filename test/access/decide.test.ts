import { describe, expect, it } from '@jest/globals';
import { fc } from '../support/random.js';
import { createMemoryHost } from '../../adapters/index.js';
import { HookRegistry, type HookContext } from '../../hooks/index.js';
import { AccessMemo, decide, type Need } from '../../src/platform/access/decide.js';
import { PERMISSION_KEYS } from '../../src/platform/access/keys.js';
import { policies, type Policy, type Section } from '../../src/platform/access/policies.js';
import type { Platform } from '../../src/platform/platform.js';

const SECTIONS: readonly Section[] = ['affiliates', 'referrals', 'visits', 'payouts'];
const FILTER = {
  affiliates: 'has_all_affiliate_access',
  referrals: 'has_all_referral_access',
  visits: 'has_all_visit_access',
  payouts: 'has_all_payout_access',
} as const;
type Answer = 'grant' | 'refuse' | 'keep' | 'nothing' | 'junk';
const ANSWERS: readonly Answer[] = ['grant', 'refuse', 'keep', 'nothing', 'junk'];
const NO_SWITCH = {
  viewCapabilitiesReadOnly: false,
  manageAllDataOpensSettings: false,
  managersMayReadOptions: false,
};

interface World {
  readonly admin?: boolean;
  readonly stored?: unknown;
  readonly capabilities?: readonly string[];
  readonly filters?: Partial<Record<Section, Answer>>;
  readonly switches?: Partial<typeof NO_SWITCH>;
}

interface Asked {
  readonly app: Platform;
  readonly hooks: HookRegistry;
  readonly calls: string[];
  readonly questions: unknown[];
  readonly ask: (policy: Policy, need?: Need, memo?: AccessMemo) => Promise<boolean>;
}

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** The decision with everything it asks: host, stored list, filters. */
function world({ admin = false, stored = [], capabilities = [], filters = {}, switches = {} }: World): Asked {
  const host = createMemoryHost({
    users: [{ id: 7, login: 'mia', capabilities: [...capabilities, ...(admin ? ['manage_options'] : [])] }],
  });
  const hooks = new HookRegistry({
    prefix: 'p',
    log: silent,
    context: () => ({ source: 'rest' }) as HookContext,
  });
  const calls: string[] = [];
  const questions: unknown[] = [];
  for (const [section, answer] of Object.entries(filters) as [Section, Answer][]) {
    hooks.addFilter(FILTER[section], (current, question, ctx) => {
      calls.push(`${section}:${question.need}`);
      questions.push({ ...question, access: ctx.access });
      return { grant: true, refuse: false, keep: current, nothing: undefined, junk: 'junk' as never }[answer];
    });
  }
  const app = {
    host,
    hooks,
    db: { findByKey: async () => ({ value: JSON.stringify(stored) }) },
    options: { access: { ...NO_SWITCH, ...switches } },
  } as unknown as Platform;
  const user = { id: 7 } as never;
  return {
    app,
    hooks,
    calls,
    questions,
    ask: (policy, need = 'read', memo) =>
      decide(app, { user, ...(memo ? { memo } : {}) }, policy, need, { id: 'r', method: 'GET', url: 'u' }),
  };
}

/** docs/interface.md §2.2, written as plainly as possible. */
function expected(
  { admin, stored, capabilities, filters, switches }: Required<World>,
  section: Section,
  also: Section | undefined,
  need: Need,
): boolean {
  if (admin) return true;
  const keys = stored as string[];
  const capable =
    capabilities.includes(`fa_view_${section}`) && !(switches.viewCapabilitiesReadOnly && need === 'write');
  const may = (each: Section, level: Need): boolean =>
    keys.includes('manage_all_data') ||
    keys.includes(`manage_all_${each}`) ||
    (level === 'read' && keys.includes(`read_all_${each}`));
  const filtered = (each: Section, outcome: boolean): boolean =>
    ({ grant: true, refuse: false })[filters[each] as 'grant'] ?? outcome;
  const prefix = filtered(section, capable || may(section, need));
  return prefix && (also === undefined || filtered(also, capable || may(also, 'read')));
}

describe('decide', () => {
  it('equals a naive model for every mix of keys, capabilities, filters and needs', async () => {
    const worlds = fc.record({
      admin: fc.boolean(),
      stored: fc.subarray([...PERMISSION_KEYS], { minLength: 0 }),
      capabilities: fc.subarray([...SECTIONS.map((section) => `fa_view_${section}`), 'edit_posts']),
      filters: fc.dictionary(fc.constantFrom(...SECTIONS), fc.constantFrom(...ANSWERS), { maxKeys: 4 }),
      switches: fc.record({ viewCapabilitiesReadOnly: fc.boolean() }),
    });
    await fc.assert(
      fc.asyncProperty(
        worlds,
        fc.constantFrom(...SECTIONS),
        fc.option(fc.constantFrom(...SECTIONS), { nil: undefined }),
        fc.constantFrom<Need>('read', 'write'),
        async (given, section, also, need) => {
          fc.pre(also !== section);
          const policy = policies.section(section, also === undefined ? {} : { also });
          expect(await world(given).ask(policy, need)).toBe(expected(given, section, also, need));
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('gives every key exactly its own sections', async () => {
    for (const key of PERMISSION_KEYS.filter((each) => each !== 'send_messages')) {
      const opened: string[] = [];
      for (const section of SECTIONS) {
        for (const need of ['read', 'write'] as const) {
          if (await world({ stored: [key] }).ask(policies.section(section), need))
            opened.push(`${section} ${need}`);
        }
      }
      const [, level, , name] = /^(read|manage)_(all)_(\w+)$/.exec(key) ?? [];
      const sections = name === 'data' ? SECTIONS : [name];
      expect(opened).toEqual(
        sections.flatMap((section) =>
          level === 'read' ? [`${section} read`] : [`${section} read`, `${section} write`],
        ),
      );
    }
  });

  it.each([
    ['null', null],
    ['a map', { 0: 'manage_all_data' }],
    ['text', 'manage_all_data'],
    ['unknown keys', ['manage_all_visits', 'manage_everything', 1, null]],
  ])('counts a stored %s as empty', async (_, stored) => {
    for (const section of SECTIONS)
      await expect(world({ stored }).ask(policies.section(section))).resolves.toBe(false);
  });

  it.each([
    ['the capability of the prefix alone', { capabilities: ['fa_view_affiliates'] }, true],
    ['the capability of the listed section alone', { capabilities: ['fa_view_referrals'] }, false],
    ['the key of the prefix alone', { stored: ['manage_all_affiliates'] }, false],
    ['the key of the listed section alone', { stored: ['manage_all_referrals'] }, false],
    ['both keys', { stored: ['read_all_affiliates', 'read_all_referrals'] }, true],
    ['a filter of the prefix alone', { filters: { affiliates: 'grant' } }, false],
    ['a filter of the listed section alone', { filters: { referrals: 'grant' } }, false],
    ['both filters', { filters: { affiliates: 'grant', referrals: 'grant' } }, true],
    ['a key and a filter', { stored: ['read_all_affiliates'], filters: { referrals: 'grant' } }, true],
    [
      'a refusing filter of the listed section against the capability',
      { capabilities: ['fa_view_affiliates'], filters: { referrals: 'refuse' } },
      false,
    ],
    [
      'refusing filters against an administrator',
      { admin: true, filters: { affiliates: 'refuse', referrals: 'refuse' } },
      true,
    ],
  ] as const)('on a sub-row: %s', async (_, given, passes) => {
    await expect(world(given).ask(policies.section('affiliates', { also: 'referrals' }))).resolves.toBe(
      passes,
    );
  });

  it('asks a filter once per section, need and request, and not for administrators', async () => {
    const { ask, calls, questions } = world({
      filters: { affiliates: 'keep', referrals: 'grant' },
      stored: ['read_all_affiliates'],
    });
    const memo = new AccessMemo();
    for (let round = 0; round < 3; round++) {
      await ask(policies.section('affiliates', { also: 'referrals' }), 'read', memo);
      await ask(policies.section('referrals'), 'read', memo);
      await ask(policies.section('referrals'), 'write', memo);
    }
    expect(calls).toEqual(['affiliates:read', 'referrals:read', 'referrals:write']);
    expect(questions[2]).toEqual({
      user: { id: 7 },
      section: 'referrals',
      need: 'write',
      request: { id: 'r', method: 'GET', url: 'u' },
      access: 'write',
    });

    const admin = world({ admin: true, filters: { visits: 'refuse' } });
    await admin.ask(policies.section('visits'));
    expect(admin.calls).toEqual([]);
  });

  it('does not let a capability of one section leak into another through a filter that keeps its value', async () => {
    const { ask } = world({ capabilities: ['fa_view_affiliates'], filters: { referrals: 'keep' } });
    const memo = new AccessMemo();
    await expect(ask(policies.section('affiliates', { also: 'referrals' }), 'read', memo)).resolves.toBe(
      true,
    );
    await expect(ask(policies.section('referrals'), 'read', memo)).resolves.toBe(false);
  });

  it('is closed when a filter fails', async () => {
    const { hooks, ask } = world({ stored: ['manage_all_data'] });
    hooks.addFilter('has_all_visit_access', () => {
      throw new Error('broken');
    });
    await expect(ask(policies.section('visits'))).rejects.toThrow();
  });

  it.each([
    ['public', policies.public, true, true],
    ['signed in', policies.signedIn, false, true],
    ['site', policies.site, false, false],
    ['admin', policies.admin, false, false],
    ['section', policies.section('visits'), false, false],
  ])('%s: anonymous and plain user', async (_, policy, anonymous, user) => {
    const { app, ask } = world({});
    await expect(decide(app, { user: null }, policy, 'read')).resolves.toBe(anonymous);
    await expect(ask(policy)).resolves.toBe(user);
  });

  it.each([
    // stored list, switches, then admin / settings / options, each for read and write
    [['manage_all_data'], {}, [false, false, false, false, false, false]],
    [['manage_all_data'], { manageAllDataOpensSettings: true }, [false, false, true, true, true, true]],
    [['manage_all_data'], { managersMayReadOptions: true }, [false, false, false, false, true, false]],
    [
      ['manage_all_payouts'],
      { managersMayReadOptions: true, manageAllDataOpensSettings: true },
      [false, false, false, false, true, false],
    ],
    [
      ['read_all_payouts'],
      { managersMayReadOptions: true, manageAllDataOpensSettings: true },
      [false, false, false, false, false, false],
    ],
  ] as const)('settings for %j with %j', async (stored, switches, opened) => {
    const answers: boolean[] = [];
    for (const policy of [policies.admin, policies.settings, policies.options]) {
      for (const need of ['read', 'write'] as const)
        answers.push(await world({ stored, switches }).ask(policy, need));
    }
    expect(answers).toEqual(opened);
    await expect(world({ admin: true }).ask(policies.admin, 'write')).resolves.toBe(true);
  });
});
