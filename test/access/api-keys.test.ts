import { expect, it } from '@jest/globals';
import request from 'supertest';
import { allRoutes } from '../../src/app/routes.js';
import { addressOf } from '../support/route-cases.js';
import { startApp, type TestApp } from '../support/app.js';
import { FOR_PEOPLE, needsOf, SENDS, type Deps, type Section } from './table.js';

// Route × API key on every alias. A key reaches what was ticked for it and what its owner may, never more.

type Level = 'read' | 'write';
type Held = Partial<Record<Section | 'settings' | 'portal' | 'sends', Level>>;

// Everybody signed in may ask; each figure is shown or not by its own right.
const FIGURES = / \/reports/;

const RIGHTS: Readonly<Record<string, Held>> = {
  read_all_affiliates: { affiliates: 'read' },
  manage_all_affiliates: { affiliates: 'write' },
  read_all_referrals: { referrals: 'read' },
  manage_all_referrals: { referrals: 'write' },
  read_all_visits: { visits: 'read' },
  read_all_payouts: { payouts: 'read' },
  manage_all_payouts: { payouts: 'write' },
  manage_all_data: { affiliates: 'write', referrals: 'write', visits: 'write', payouts: 'write' },
  read_settings: { settings: 'read' },
  manage_settings: { settings: 'write' },
  read_portal: { portal: 'read' },
  manage_portal: { portal: 'write' },
  send_payouts: { sends: 'write' },
};
const EVERYTHING = Object.keys(RIGHTS);
const merged = (words: readonly string[]): Held => Object.assign({}, ...words.map((word) => RIGHTS[word]));

const sendsMoney = (form: string): boolean => SENDS.test(form) && form !== 'GET /payouts/:id/send';

function reaches(held: Held, form: string, needs: Deps, level: Level): boolean {
  const covers = (what: keyof Held, wanted: Level): boolean =>
    held[what] === 'write' || (held[what] !== undefined && wanted === 'read');
  if (FOR_PEOPLE.test(form) || needs === 'site' || needs === 'send') return false;
  if (needs === 'admin') return covers('settings', level);
  if (needs === 'signed in') return FIGURES.test(form) || covers('portal', level);
  if (needs === 'public') return true;
  if (sendsMoney(form) && !covers('sends', 'write')) return false;
  return covers(needs.prefix, level) && (needs.also === undefined || covers(needs.also, 'read'));
}

interface Case {
  readonly name: string;
  readonly owner: number;
  readonly rights: readonly string[];
  readonly prepare?: (t: TestApp) => unknown;
  /** What the owner holds; an administrator everything. */
  readonly cut?: Held;
}

const CASES: readonly Case[] = [
  ...EVERYTHING.map((right): Case => ({ name: `an administrator's ${right}`, owner: 1, rights: [right] })),
  { name: "an administrator's key with everything", owner: 1, rights: EVERYTHING },
  {
    name: "a plain user's key with everything",
    owner: 3,
    rights: EVERYTHING,
    cut: { portal: 'write', sends: 'write' },
  },
  {
    name: "a manager's key with everything",
    owner: 3,
    rights: EVERYTHING,
    prepare: (t) => t.service.permissions.setPermissions(3, ['read_all_affiliates', 'manage_all_payouts']),
    cut: { affiliates: 'read', payouts: 'write', portal: 'write', sends: 'write' },
  },
  {
    name: "a manager's key for more than the manager may",
    owner: 3,
    rights: ['manage_all_affiliates', 'read_all_payouts'],
    prepare: (t) => t.service.permissions.setPermissions(3, ['read_all_affiliates', 'manage_all_payouts']),
    cut: { affiliates: 'read', payouts: 'write', portal: 'write', sends: 'write' },
  },
];

it.each(CASES)('lets $name in where key and owner both may, and nowhere else', async (testCase) => {
  const { owner, rights, prepare, cut } = testCase;
  const t = await startApp();
  await prepare?.(t);
  const { key } = await t.service.apiKeys.create({ name: 'test', rights, user_id: owner });
  const wrong: string[] = [];
  for (const route of allRoutes())
    for (const path of route.paths) {
      const form = `${route.method.toUpperCase()} ${path}`;
      const needs = needsOf(form);
      if (needs === undefined || needs === 'public') continue;
      const level: Level = route.method === 'get' ? 'read' : 'write';
      const answer = await request(t.server)
        [route.method](t.service.basePath + addressOf(path))
        .set('Authorization', `Bearer ${key}`);
      const passed = answer.status !== 401 && answer.body.code !== 'rest_forbidden';
      const allowed =
        reaches(merged(rights), form, needs, level) &&
        (cut === undefined || reaches(cut, form, needs, level));
      if (passed !== allowed) wrong.push(`${form}: ${answer.status}`);
    }
  expect(wrong).toEqual([]);
});
