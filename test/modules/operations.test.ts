import { expect, it } from '@jest/globals';
import { HookVeto } from '../../hooks/index.js';
import { startApp, type TestApp } from '../support/app.js';

/** An operation whose only step asks the extensions. */
async function ask(t: TestApp): Promise<void> {
  t.app.operations.add({
    kind: 'followers',
    lease: () => 'test.asks',
    size: 1,
    step: async ({ work, commit }) => {
      await t.app.hooks.doAction('before_create_affiliate_group', {});
      await commit(async () => ({ done: 1, details: work.details, hasEnded: true }));
    },
  });
  await t.app.transaction((trx) => t.app.operations.begin(trx, { kind: 'followers', done: 0, total: 1 }));
  await t.app.operations.resume();
}

const works = async (t: TestApp): Promise<unknown[]> =>
  (await t.admin.get('/system/state').expect(200)).body.works;

it('shows the sentence of the extension whose veto has stopped an operation, until it is resumed', async () => {
  const t = await startApp();
  const remove = t.service.hooks.addAction('before_create_affiliate_group', () => {
    throw new HookVeto('The accounts are closed\nuntil Monday.');
  });

  await ask(t);

  expect(await works(t)).toMatchObject([
    {
      running: false,
      reason: 'hook_aborted',
      message: 'The accounts are closed until Monday.',
      done: 0,
      total: 1,
    },
  ]);
  await t.service.jobs.runDue(); // a stopped operation waits for a person
  expect(await works(t)).toMatchObject([{ running: false }]);

  remove();
  expect(await t.app.operations.resumeStopped()).toBe(1);
  expect(await works(t)).toMatchObject([{ running: true, reason: null, message: null }]);
  await t.service.jobs.runDue();
  expect(await works(t)).toEqual([]);
});

it('is resumed by an administrator', async () => {
  const t = await startApp();
  const remove = t.service.hooks.addAction('before_create_affiliate_group', () => {
    throw new HookVeto('Not yet.');
  });
  await ask(t);
  remove();

  await t.as(2).post('/system/works/resume').expect(403);
  expect((await t.admin.post('/system/works/resume').expect(200)).body.resumed).toBe(1);
  await t.app.operations.settled();
  expect(await works(t)).toEqual([]);
  expect((await t.admin.post('/system/works/resume').expect(200)).body.resumed).toBe(0);
});

it('keeps the sentences of errors of code and databases to the log', async () => {
  const t = await startApp();
  t.service.hooks.addAction('before_create_affiliate_group', async () => {
    await t.app.db('meta').insert({ no_such_column: 'postgres://root:secret@10.0.0.7' });
  });

  await ask(t);

  expect(await works(t)).toMatchObject([{ running: false, reason: 'internal_error', message: null }]);
  expect(t.log.filter(({ message }) => message === 'a step of an operation failed')).toHaveLength(3);
});
