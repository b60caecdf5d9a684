import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hostUserIds } from '../../adapters/index.js';
import { startHarness, type Harness } from '../http/harness.js';

let t: Harness;
beforeEach(async () => {
  t = await startHarness([]);
});
afterEach(() => t.close());

describe('ids of hosts whose ids are text', () => {
  it('are made once and translate both ways', async () => {
    const ids = hostUserIds(
      () => t.app.db,
      () => t.app.clock.now(),
    );
    const [anna, ben, again] = [await ids.idOf('anna'), await ids.idOf('Ben'), await ids.idOf('anna')];

    expect(again).toBe(anna);
    expect(ben).not.toBe(anna);
    expect(await ids.idsOf(['anna', 'ben', 'Ben'])).toEqual(
      new Map([
        ['anna', anna],
        ['Ben', ben],
      ]),
    );
    expect(await ids.hostIdsOf([anna, ben, 99])).toEqual(
      new Map([
        [anna, 'anna'],
        [ben, 'Ben'],
      ]),
    );
    await expect(ids.idOf('')).rejects.toThrow();
    await expect(Promise.all(Array.from({ length: 5 }, () => ids.idOf('carl')))).resolves.toEqual(
      Array.from({ length: 5 }, () => expect.any(Number)),
    );
    expect(await t.app.db('host_users').where({ host_id: 'carl' }).select('id')).toHaveLength(1);
  });
});
