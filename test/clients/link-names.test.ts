import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';

const credited = async (t: TestApp, param: string): Promise<number | null> =>
  (await t.app.tracking.resolveParam(param))?.id ?? null;

describe('the name in an affiliate’s links (custom_param)', () => {
  it('is set at creation and later, folded to lower case, and cleared', async () => {
    const t = await startApp();
    const made = await t.records.affiliate({ user_id: 2, custom_param: ' Ally-Shop ' });
    expect(made.custom_param).toBe('ally-shop');
    expect(await credited(t, 'ALLY-shop')).toBe(made.id);

    const { body } = await t.admin.patch(`/affiliates/${made.id}`).send({ custom_param: '' }).expect(200);
    expect(body.affiliate.custom_param).toBeNull();
    expect((await t.admin.get(`/affiliates/${made.id}`)).body.affiliate.custom_param).toBeNull();
  });

  it.each([
    ['one letter', 'x', 'format'],
    ['digits alone', '12345', 'format'],
    ['an accent', 'café', 'format'],
    ['a space', 'my shop', 'format'],
    ['101 letters', 'x'.repeat(101), 'format'],
    ['a list', ['ally'], 'format'],
    ['a reserved word', 'admin', 'taken'],
  ])('refuses %s', async (_what, value, rule) => {
    const t = await startApp();
    const { id } = await t.records.affiliate({ user_id: 2 });
    const { body } = await t.admin.patch(`/affiliates/${id}`).send({ custom_param: value }).expect(422);
    expect(Object.keys(body.errors.custom_param as object)).toEqual([rule]);
    await t.admin
      .post('/affiliates')
      .send({
        user_id: 3,
        status: 'active',
        rate_type: 'default',
        payment_email: 'b@b.test',
        custom_param: value,
      })
      .expect(422);
  });

  it('refuses what another affiliate has, had, or is called', async () => {
    const t = await startApp();
    const alice = await t.records.affiliate({ user_id: 2, custom_param: 'first' });
    const bob = await t.records.affiliate({ user_id: 3 });
    await t.admin.patch(`/affiliates/${alice.id}`).send({ custom_param: 'second' }).expect(200);

    for (const value of ['first', 'second', 'alice']) {
      const { body } = await t.admin.patch(`/affiliates/${bob.id}`).send({ custom_param: value }).expect(422);
      expect(body.code).toBe('validation_failed');
      expect(Object.keys(body.errors.custom_param as object)).toEqual(['taken']);
    }
    await t.admin
      .post('/affiliates')
      .send({
        user_id: 4,
        status: 'active',
        rate_type: 'default',
        payment_email: 'c@c.test',
        custom_param: 'first',
      })
      .expect(422);
    // One's own login and one's own earlier name are free.
    await t.admin.patch(`/affiliates/${alice.id}`).send({ custom_param: 'alice' }).expect(200);
    await t.admin.patch(`/affiliates/${alice.id}`).send({ custom_param: 'first' }).expect(200);
  });

  it('is set by code under the same rules', async () => {
    const t = await startApp();
    const { service } = t;
    const { id } = await service.affiliates.create({ user_id: 2, status: 'active', custom_param: ' Ally ' });
    const bob = await service.affiliates.create({ user_id: 3, status: 'active' });
    expect((await service.affiliates.get(id)).custom_param).toBe('ally');
    for (const [custom_param, rule] of [
      ['ally', 'taken'],
      ['x', 'format'],
    ] as const)
      await expect(service.affiliates.update(bob.id, { custom_param })).rejects.toMatchObject({
        code: 'validation_failed',
        fields: { custom_param: { [rule]: expect.any(String) as unknown } },
      });
    await service.affiliates.update(id, { custom_param: 'newer' });
    expect([await credited(t, 'ally'), await credited(t, 'newer')]).toEqual([id, id]);
  });

  it('goes on crediting under every earlier value', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate({ user_id: 2 });
    for (const value of ['one', 'two', 'three', null])
      await t.admin.patch(`/affiliates/${id}`).send({ custom_param: value }).expect(200);
    for (const value of ['one', 'two', 'three']) expect(await credited(t, value)).toBe(id);
    await t.admin.delete(`/affiliates/${id}`).expect(200);
    expect(await credited(t, 'one')).toBeNull();
  });

  it('credits by a value that was imported, after it was changed', async () => {
    const t = await startApp();
    const alice = await t.records.affiliate({ user_id: 2 });
    const bob = await t.records.affiliate({ user_id: 3 });
    await t.app.db('affiliates').where({ id: alice.id }).update({ custom_param: 'imported' });

    await t.admin.patch(`/affiliates/${bob.id}`).send({ custom_param: 'imported' }).expect(422);
    await t.admin.patch(`/affiliates/${alice.id}`).send({ custom_param: 'newer' }).expect(200);
    expect(await credited(t, 'imported')).toBe(alice.id);
    await t.admin.patch(`/affiliates/${bob.id}`).send({ custom_param: 'imported' }).expect(422);
  });

  it('goes to one of two who ask at once', async () => {
    const t = await startApp();
    const alice = await t.records.affiliate({ user_id: 2 });
    const bob = await t.records.affiliate({ user_id: 3 });
    const answers = await Promise.all(
      [alice.id, bob.id].map((id: number) =>
        t.admin.patch(`/affiliates/${id}`).send({ custom_param: 'wanted' }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422]);
  });

  it('is the affiliate’s own to choose once the feature is on', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate({ user_id: 2 });
    const other = await t.records.affiliate({ user_id: 3, custom_param: 'bobs' });
    const mine = t.as(2);
    const save = (custom_param: unknown): ReturnType<typeof mine.post> =>
      mine
        .post('/portal/settings')
        .send({ settings: { ref_email_notification: 'yes', payment_email: 'a@b.test', custom_param } });

    await save('ally').expect(200);
    expect((await mine.get('/portal/settings')).body.settings).not.toHaveProperty('custom_param');
    expect(await credited(t, 'ally')).toBeNull();

    await t.admin.post('/settings/features/own_link_name').send({ is_enabled: 'yes' }).expect(200);
    await save('Ally').expect(200);
    const { body } = await mine.get('/portal/settings').expect(200);
    expect(body.settings.custom_param).toBe('ally');
    expect(body.form_fields.custom_param).toMatchObject({ type: 'text', label: 'Link name' });
    expect(await credited(t, 'ally')).toBe(id);
    expect((await save('bobs').expect(422)).body.errors.custom_param).toHaveProperty('taken');
    expect((await save('x').expect(422)).body.errors.custom_param).toHaveProperty('format');
    expect((await save(['x']).expect(422)).body.errors.custom_param).toHaveProperty('format');
    expect(await credited(t, 'bobs')).toBe(other.id);
    await save('').expect(200);
    expect(await credited(t, 'ally')).toBe(id);
  });
});
