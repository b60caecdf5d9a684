import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';

const DAY = 86_400_000;
const PATH = '/settings/managers/invitations';
const ACCOUNT = {
  full_name: 'Eve Stone',
  username: 'evestone',
  password: 'correct horse',
  conf_password: 'correct horse',
};

async function invited(t: TestApp, body: object = {}): Promise<string> {
  const all = { emails: ['eve@shop.test'], permissions: ['manage_all_affiliates'], ...body };
  expect((await t.admin.post(PATH).send(all).expect(200)).body).toMatchObject({ invited: 1, left_out: [] });
  return keyFrom(t);
}
async function keyFrom(t: TestApp): Promise<string> {
  t.clock.advance(60_000);
  await t.service.emails.deliverDue();
  return /manager=(\d+\.[0-9a-f]{64})/.exec(t.host.mailbox.at(-1)?.text ?? '')?.[1] ?? '';
}
const accept = (t: TestApp, key: string, user = 0, more: object = {}): ReturnType<TestApp['admin']['post']> =>
  t
    .as(user)
    .post('/registration/manager')
    .send({ key, ...more });
const states = async (t: TestApp): Promise<unknown[]> =>
  (await t.admin.get(PATH).expect(200)).body.invitations.data.map(
    ({ email, state, permissions }: Record<string, unknown>) => [email, state, permissions],
  );

describe('invitations of managers', () => {
  it('make an account with the rights, in the address that got the mail', async () => {
    const t = await startApp();
    const key = await invited(t, { note: 'Welcome' });
    expect(t.host.mailbox.at(-1)).toMatchObject({ to: 'eve@shop.test' });
    expect((await t.anonymous.get(`/registration/manager?key=${key}`).expect(200)).body).toEqual({
      email: 'eve@shop.test',
      has_account: false,
      supported: true,
      permissions: ['manage_all_affiliates'],
    });
    const { body } = await accept(t, key, 0, { ...ACCOUNT, email: 'other@else.test' }).expect(200);
    expect(body.console_url).toBe(t.host.site().adminUrl);
    const user = await t.host.users.findByLogin('evestone');
    expect(user?.email).toBe('eve@shop.test');
    expect((await t.admin.get('/settings/managers').expect(200)).body.managers).toMatchObject([
      { user_id: user?.id, permissions: ['manage_all_affiliates'] },
    ]);
    expect(await states(t)).toEqual([['eve@shop.test', 'accepted', ['manage_all_affiliates']]]);
    expect((await accept(t, key, 0, ACCOUNT).expect(422)).body.code).toBe('invitation_closed');
  });

  it('add their rights to those of a user who is signed in with that address', async () => {
    const t = await startApp();
    const key = await invited(t, { emails: ['alice@shop.test'], permissions: ['read_all_payouts'] });
    expect((await t.as(2).get('/affiliates')).status).toBe(403);
    expect((await accept(t, key, 3).expect(422)).body.code).toBe('invitation_other_account');
    await accept(t, key, 2).expect(200);
    await t.as(2).get('/payouts').expect(200);
    expect((await t.as(2).get('/affiliates')).status).toBe(403);
  });

  it('are neither given by managers nor opened as those of affiliates', async () => {
    const t = await startApp();
    await t.admin
      .post('/settings/managers')
      .send({ user_id: 5, permissions: ['manage_all_data'] })
      .expect(200);
    const body = { emails: ['eve@shop.test'], permissions: ['manage_all_data'] };
    expect((await t.as(5).post(PATH).send(body)).status).toBe(403);
    const key = await invited(t);
    expect((await t.anonymous.get(`/registration/invitation?key=${key}`).expect(422)).body.code).toBe(
      'invitation_unknown',
    );
    expect((await t.admin.get('/invitations').expect(200)).body.invitations.data).toEqual([]);
    const { id } = (await t.admin.get(PATH).expect(200)).body.invitations.data[0];
    expect((await t.admin.delete(`/invitations/${id}`)).status).toBe(404);
  });

  it('end by time, by withdrawal, and with the rights of who invited; resending makes them good again', async () => {
    const t = await startApp();
    const key = await invited(t);
    const { id } = (await t.admin.get(PATH).expect(200)).body.invitations.data[0];
    t.clock.advance(14 * DAY);
    expect((await accept(t, key, 0, ACCOUNT).expect(422)).body.code).toBe('invitation_expired');
    await t.admin.post(`${PATH}/${id}/resend`).expect(200);
    const again = await keyFrom(t);
    expect((await t.anonymous.get(`/registration/manager?key=${again}`)).status).toBe(200);
    const can = t.host.can.bind(t.host);
    t.host.can = async (user, capability) => user !== 1 && can(user, capability);
    expect((await accept(t, again, 0, ACCOUNT).expect(422)).body.code).toBe('invitation_closed');
    t.host.can = can;
    await t.admin.delete(`${PATH}/${id}`).expect(200);
    expect((await accept(t, again, 0, ACCOUNT).expect(422)).body.code).toBe('invitation_closed');
    expect(await t.host.users.findByLogin('evestone')).toBeNull();
  });

  it('name what is wrong', async () => {
    const t = await startApp();
    const send = async (body: object): Promise<{ status: number; body: Record<string, unknown> }> =>
      t.admin.post(PATH).send(body);
    expect((await send({ emails: ['eve@shop.test'], permissions: ['nonsense'] })).body).toMatchObject({
      code: 'permissions_required',
    });
    await t.admin
      .post('/settings/managers')
      .send({ user_id: 2, permissions: ['read_all_visits'] })
      .expect(200);
    expect(
      (await send({ emails: ['nothing', 'alice@shop.test'], permissions: ['read_all_visits'] })).body,
    ).toMatchObject({
      invited: 0,
      left_out: [
        { email: 'nothing', reason: 'invalid' },
        { email: 'alice@shop.test', reason: 'is_manager' },
      ],
    });
    const key = await invited(t);
    const { body } = await accept(t, key, 0, { ...ACCOUNT, conf_password: '' }).expect(422);
    expect(Object.keys(body.errors)).toEqual(['conf_password']);
  });

  it.each([
    ['de', 'Einladung, beim Partnerprogramm von Shop zu helfen', 'Einladung zum Partnerprogramm von Shop'],
    ['ar', 'دعوة للمساعدة في برنامج التسويق بالعمولة في Shop', 'دعوة إلى برنامج التسويق بالعمولة في Shop'],
  ])('are mails in the language of the site, as those of affiliates: %s', async (language, help, join) => {
    const t = await startApp();
    const site = t.host.site();
    Object.assign(t.host, { site: () => ({ ...site, language }) });
    await invited(t);
    await t.admin
      .post('/invitations')
      .send({ emails: ['new@shop.test'] })
      .expect(200);
    await keyFrom(t);
    expect(t.host.mailbox.map(({ subject }) => subject)).toEqual([help, join]);
    expect(t.host.mailbox.map(({ text }) => text).join()).not.toMatch(/invited|valid for/);
  });
});
