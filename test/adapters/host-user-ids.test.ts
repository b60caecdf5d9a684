import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hostPageIds, hostUserIds, type HostLibrary } from '../../adapters/index.js';
import { storedIds } from '../../adapters/host-user-ids.js';
import { startHarness, type Harness } from '../http/harness.js';

let t: Harness;
beforeEach(async () => {
  t = await startHarness([]);
});
afterEach(() => t.close());

const library = (): HostLibrary => ({
  userIds: storedIds(
    () => t.app.db,
    'host_users',
    () => t.app.clock.now(),
  ),
  pageIds: storedIds(
    () => t.app.db,
    'host_pages',
    () => t.app.clock.now(),
  ),
});

describe('ids of hosts whose ids are text', () => {
  it('are made once and translate both ways', async () => {
    const ids = hostUserIds();
    ids.connect(library());
    const [anna, ben, again] = [await ids.idOf('anna'), await ids.idOf('Ben'), await ids.idOf('anna')];

    expect(again).toBe(anna);
    expect(ben).not.toBe(anna);
    const list = await ids.idsOf(['anna', 'ben', 'Ben']);
    expect([list.get('anna'), list.get('Ben')]).toEqual([anna, ben]);
    expect(new Set(list.values()).size).toBe(3);
    expect(await ids.hostIdsOf([anna, ben, 999])).toEqual(
      new Map([
        [anna, 'anna'],
        [ben, 'Ben'],
      ]),
    );
    await expect(ids.idOf('')).rejects.toThrow('1 to 191');
    await expect(ids.idsOf(['x'.repeat(192)])).rejects.toThrow('1 to 191');
    const carl = await Promise.all(Array.from({ length: 5 }, () => ids.idOf('carl')));
    expect(new Set(carl).size).toBe(1);
    expect(await t.app.db('host_users').where({ host_id: 'carl' }).select('id')).toHaveLength(1);
  });

  it('are made for long lists in a few statements', async () => {
    const ids = hostPageIds();
    ids.connect(library());
    const names = Array.from({ length: 2500 }, (_, at) => `page-${at}`);
    const made = await ids.idsOf(names);
    expect(new Set(made.values()).size).toBe(2500);
    expect(await ids.idsOf(names)).toEqual(made);
    expect(await t.app.db('host_users').select('id')).toEqual([]);
  });

  it('are kept in memory until a service is there, and belong to one service at a time', async () => {
    const ids = hostUserIds();
    const provisional = await ids.idOf('zoe');
    expect(await ids.hostIdsOf([provisional])).toEqual(new Map([[provisional, 'zoe']]));

    await t.app.db('host_users').insert({ host_id: 'someone', created_at: 1 });
    const disconnect = ids.connect(library());
    expect(await t.app.db('host_users').where({ id: await ids.idOf('zoe') })).toMatchObject([
      { host_id: 'zoe' },
    ]);
    expect(() => ids.connect(library())).toThrow('another running service');
    disconnect();
    expect(await ids.idOf('zoe')).toBe(provisional);
    ids.connect(library());
  });
});
