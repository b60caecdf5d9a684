import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createPermissions, type Permissions } from '../../src/platform/access/permissions.js';
import { policies } from '../../src/platform/access/policies.js';
import type { App } from '../../src/app/app.js';
import { routesFor } from '../../src/platform/http/define-route.js';
import { anyObject } from '../../src/platform/http/schema.js';
import { AuditService } from '../../src/program/audit/service.js';
import { managerRoutes } from '../../src/program/managers/routes.js';
import { ManagersService } from '../../src/program/managers/service.js';
import { startHarness, type Harness, type HarnessOptions } from '../http/harness.js';

const defineRoute = routesFor<unknown>('test');

// A route of a section, to see that stored permissions open it.
const visits = defineRoute({
  id: 'test.visits',
  method: 'get',
  paths: ['/visits'],
  access: policies.section('visits'),
  summary: 'Visits',
  response: anyObject,
  handler: async ({ allows }) => ({ payouts: await allows('payouts') }),
});

async function start(
  options: HarnessOptions['options'] = {},
): Promise<Harness & { permissions: Permissions }> {
  const harness = await startHarness([...managerRoutes, visits], { options });
  const { app, host } = harness;
  const users: App['users'] = async (ids) =>
    new Map((await host.users.find([...ids].filter((id) => id !== null))).map((user) => [user.id, user]));
  Object.assign(app, { managers: new ManagersService(app), audit: new AuditService(app), users });
  return { ...harness, permissions: createPermissions(app) };
}

const auditRows = async ({ app }: Harness): Promise<unknown[]> =>
  app.db('audit').select(['actor_id', 'action', 'object_type', 'object_id', 'before', 'after']).orderBy('id');

let t: Awaited<ReturnType<typeof start>>;
beforeEach(async () => {
  t = await start();
});
afterEach(() => t.close());

describe('managers', () => {
  it('adds, replaces, lists and removes a manager', async () => {
    const events: unknown[][] = [];
    t.app.hooks.addAction('manager_permissions_updated', (...args) => void events.push(args.slice(0, 4)));

    const added = await t
      .send(1, 'post', '/settings/managers')
      .send({ user_id: 2, permissions: ['read_all_affiliates', 'read_all_referrals'] })
      .expect(200);
    const alice = {
      user_id: 2,
      id: 2,
      display_name: 'alice',
      name: 'alice',
      email: 'alice@example.test',
      avatar: expect.stringMatching(/^data:image\/svg\+xml,/),
      permissions: ['read_all_affiliates', 'read_all_referrals'],
      is_admin: false,
    };
    expect(added.body).toEqual({ message: expect.any(String), manager: alice });

    await t
      .send(1, 'post', '/settings/managers')
      .send({ user_id: 2, permissions: ['read_all_visits', 'manage_all_payouts', 'read_all_payouts'] })
      .expect(200);
    const { body } = await t.send(1, 'get', '/settings/managers').expect(200);
    expect(body.managers).toEqual([{ ...alice, permissions: ['read_all_visits', 'manage_all_payouts'] }]);
    expect(Object.keys(body.permissions)).toHaveLength(9);
    expect(body.permissions.manage_all_data).toEqual({ label: 'Manage All Data and Settings' });

    await t.send(1, 'delete', '/settings/managers/2').expect(200, { message: 'Manager removed.' });
    await t
      .send(1, 'delete', '/settings/managers/2')
      .expect(404)
      .expect((res) => expect(res.body.code).toBe('manager_not_found'));

    expect(events).toEqual([
      [2, ['read_all_affiliates', 'read_all_referrals'], [], 1],
      [2, ['read_all_visits', 'manage_all_payouts'], ['read_all_affiliates', 'read_all_referrals'], 1],
      [2, [], ['read_all_visits', 'manage_all_payouts'], 1],
    ]);
    const rows = await auditRows(t);
    expect(rows).toHaveLength(3);
    expect(rows[0]).toEqual({
      actor_id: 1,
      action: 'manager.permissions',
      object_type: 'user',
      object_id: '2',
      before: '[]',
      after: '["read_all_affiliates","read_all_referrals"]',
    });
  });

  it.each([
    ['no user', { permissions: ['read_all_visits'] }, 'validation_failed'],
    ['a text as user', { user_id: 'alice', permissions: ['read_all_visits'] }, 'validation_failed'],
    ['user 0', { user_id: 0, permissions: ['read_all_visits'] }, 'validation_failed'],
    ['an unknown user', { user_id: 99, permissions: ['read_all_visits'] }, 'user_not_found'],
    ['an administrator', { user_id: 1, permissions: ['read_all_visits'] }, 'manager_is_admin'],
    ['no permissions', { user_id: 2 }, 'permissions_required'],
    ['an empty list', { user_id: 2, permissions: [] }, 'permissions_required'],
    [
      'only unknown keys',
      { user_id: 2, permissions: ['manage_all_visits', 'admin'] },
      'permissions_required',
    ],
    ['a map', { user_id: 2, permissions: { read_all_visits: true } }, 'permissions_required'],
  ])('refuses %s', async (_, input, code) => {
    const { body } = await t.send(1, 'post', '/settings/managers').send(input).expect(422);
    expect(body.code).toBe(code);
    await expect(t.permissions.all()).resolves.toEqual(new Map());
  });

  it.each([
    [
      'JSON with a numeric text and unknown keys',
      'json',
      { user_id: '2', permissions: ['x', 'manage_all_data', 'read_all_visits'] },
      ['manage_all_data'],
    ],
    [
      'a form',
      'form',
      'user_id=2&permissions[]=read_all_visits&permissions[]=read_all_payouts',
      ['read_all_visits', 'read_all_payouts'],
    ],
    ['a form with indexes', 'form', 'user_id=2&permissions%5B0%5D=read_all_payouts', ['read_all_payouts']],
    ['a single text', 'json', { user_id: 2, permissions: 'read_all_visits' }, ['read_all_visits']],
  ])('takes %s', async (_, type, input, stored) => {
    await t.send(1, 'post', '/settings/managers').type(type).send(input).expect(200);
    const { body } = await t.send(1, 'get', '/settings/managers').expect(200);
    expect(body.managers[0].permissions).toEqual(stored);
  });

  it('prints the rights a right implies where code asks for them', async () => {
    await t
      .send(1, 'post', '/settings/managers')
      .send({ user_id: 2, permissions: ['manage_all_affiliates', 'read_all_visits'] })
      .expect(200);
    await expect(t.permissions.getPermissions(2)).resolves.toEqual([
      'read_all_affiliates',
      'manage_all_affiliates',
      'read_all_visits',
    ]);
  });

  it('is closed to everybody but administrators, with every switch on', async () => {
    await t.close();
    t = await start({ access: { manageAllDataOpensSettings: true, managersMayReadOptions: true } });
    await t.permissions.setPermissions(2, ['manage_all_data']);

    for (const [user, status] of [
      [0, 401],
      [3, 403],
      [2, 403],
    ] as const) {
      await t.send(user, 'get', '/settings/managers').expect(status);
      await t
        .send(user, 'post', '/settings/managers')
        .send({ user_id: 3, permissions: ['manage_all_data'] })
        .expect(status);
      await t.send(user, 'delete', '/settings/managers/2').expect(status);
    }
    await expect(t.permissions.all()).resolves.toEqual(new Map([[2, ['manage_all_data']]]));
  });

  it('hides a manager who left or became an administrator, and keeps the list', async () => {
    t.host.addUser({ id: 9, login: 'zoe' });
    for (const id of [9, 3, 2]) await t.permissions.setPermissions(id, ['read_all_visits']);
    t.host.grant(3, 'manage_options');
    t.host.removeUser(9);

    const { body } = await t.send(1, 'get', '/settings/managers').expect(200);
    expect(body.managers.map((manager: { id: number }) => manager.id)).toEqual([2]);

    t.host.revoke(3, 'manage_options');
    const again = await t.send(1, 'get', '/settings/managers').expect(200);
    expect(again.body.managers.map((manager: { id: number }) => manager.id)).toEqual([2, 3]);
    await t.send(1, 'delete', '/settings/managers/9').expect(200);
  });

  it('prints labels as text when asked to', async () => {
    await t.close();
    t = await start({ managers: { permissionLabels: 'string' } });
    const { body } = await t.send(1, 'get', '/settings/managers').expect(200);
    expect(body.permissions.read_all_visits).toBe('Read Access to All Visits');
  });

  it('opens and closes a section at the next request', async () => {
    await t.send(2, 'get', '/visits').expect(403);
    await t.permissions.setPermissions(2, ['read_all_visits']);
    await t.send(2, 'get', '/visits').expect(200, { payouts: false });
    await t.permissions.setPermissions(2, ['manage_all_data']);
    await t.send(2, 'get', '/visits').expect(200, { payouts: true });
    await t.permissions.removePermissions(2);
    await t.send(2, 'get', '/visits').expect(403);
  });

  it.each(['{"a":1}', '"manage_all_data"', 'not json', '[["manage_all_data"]]', '["manage_all_visits"]'])(
    'counts a stored %s as no list',
    async (value) => {
      await t.permissions.setPermissions(2, ['read_all_visits']);
      await t.app.db('meta').where({ object_type: 'user_meta' }).update({ value });

      await t.send(2, 'get', '/visits').expect(403);
      await expect(t.permissions.all()).resolves.toEqual(new Map());
      await t.send(1, 'delete', '/settings/managers/2').expect(404);
    },
  );
});

describe('permissions in code', () => {
  it('answer for managers, administrators and others', async () => {
    await t.permissions.setPermissions(2, ['manage_all_referrals']);
    const { permissions } = t;
    const answers = [
      await permissions.userCan(2, 'read_all_referrals'),
      await permissions.userCan(2, ['read_all_visits', 'manage_all_referrals']),
      await permissions.userCan(2, 'read_all_visits'),
      await permissions.userCan(2, 'nonsense'),
      await permissions.userCan(2, []),
      await permissions.userCan(1, 'manage_all_data'),
      await permissions.userCan(3, 'read_all_visits'),
      await permissions.userCan(99, 'read_all_visits'),
    ];
    expect(answers).toEqual([true, true, false, false, false, true, false, false]);
    await expect(permissions.getPermissions(1)).resolves.toEqual([
      'admin',
      ...Object.keys(permissions.allPermissionSets()),
    ]);
    await expect(permissions.getPermissions(3)).resolves.toEqual([]);
  });

  it('answer for the user of a request', async () => {
    const request = (userId: number): IncomingMessage =>
      ({ headers: { cookie: t.headers(userId)['Cookie'] } }) as IncomingMessage;
    await t.permissions.setPermissions(2, ['read_all_visits']);

    const can = await Promise.all(
      [0, 1, 2, 3].map((id) => t.permissions.currentUserCan(request(id), 'read_all_visits')),
    );
    expect(can).toEqual([false, true, true, false]);
    const any = await Promise.all([0, 1, 2, 3].map((id) => t.permissions.hasAnyPermission(request(id))));
    expect(any).toEqual([false, true, true, false]);

    t.app.hooks.addFilter('user_has_affiliate_access', (current, userId) => current || userId === 3);
    await expect(t.permissions.hasAnyPermission(request(3))).resolves.toBe(true);
    await t.send(3, 'get', '/visits').expect(403);
  });

  it('take every right away with an empty list, and refuse a list of unknown keys', async () => {
    await t.permissions.setPermissions(2, ['read_all_visits']);
    await expect(t.permissions.setPermissions(2, ['raed_all_visits'])).rejects.toMatchObject({
      code: 'permissions_required',
    });
    await expect(t.permissions.setPermissions(99, ['read_all_visits'])).rejects.toMatchObject({
      code: 'user_not_found',
    });
    await expect(t.permissions.setPermissions(1, ['read_all_visits'])).rejects.toMatchObject({
      code: 'manager_is_admin',
    });
    await expect(t.permissions.setPermissions(2, [])).resolves.toEqual([]);
    await expect(t.permissions.all()).resolves.toEqual(new Map());
    await expect(t.app.db('meta').where({ object_type: 'user_meta' }).select('id')).resolves.toEqual([]);
  });

  it('tell nobody when nothing changes', async () => {
    await t.permissions.setPermissions(2, ['read_all_visits']);
    await t.permissions.setPermissions(2, ['read_all_visits']);
    await expect(auditRows(t)).resolves.toHaveLength(1);
  });
});
