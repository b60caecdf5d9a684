import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';

const DAY = 86_400_000;
const GUEST = {
  full_name: 'Eve Stone',
  username: 'evestone',
  password: 'correct horse',
  conf_password: 'correct horse',
  note: 'My blog',
  url: '',
  terms_condition: 'yes',
  payment_email: 'pay@shop.test',
};

const invite = async (t: TestApp, body: object) =>
  (await t.admin.post('/invitations').send(body).expect(200)).body;
async function keyFrom(t: TestApp): Promise<string> {
  t.clock.advance(60_000);
  await t.service.emails.deliverDue();
  return /invitation=(\d+\.[0-9a-f]{64})/.exec(t.host.mailbox.at(-1)?.text ?? '')?.[1] ?? '';
}
const states = async (t: TestApp): Promise<[string, string][]> =>
  (await t.admin.get('/invitations').expect(200)).body.invitations.data.map(
    (row: { email: string; state: string }) => [row.email, row.state],
  );

describe('invitations', () => {
  it('lead through a signed link to an active account with group and rate, without a code', async () => {
    const t = await startApp();
    const group = await t.records.group({ rate: 30 });
    await t.admin
      .post('/settings/registration-fields')
      .send({ fields: [], settings: { enabled: 'no', require_approval: 'yes' } })
      .expect(200);
    expect(
      await invite(t, { emails: ['Eve@shop.test'], group_id: group.id, note: 'Met at the fair' }),
    ).toMatchObject({
      invited: 1,
      left_out: [],
    });
    const key = await keyFrom(t);
    expect(t.host.mailbox.at(-1)).toMatchObject({
      to: 'Eve@shop.test',
      text: expect.stringContaining('Your commission: 30% of each order.'),
    });
    expect((await t.anonymous.get(`/registration/invitation?key=${key}`).expect(200)).body).toEqual({
      email: 'Eve@shop.test',
      has_account: false,
      rate: { rate: 30, rate_type: 'percentage' },
    });
    const { body } = await t.anonymous
      .post('/registration')
      .send({ ...GUEST, url: 'https://eve.test/', email: 'somebody@else.test', invitation: key })
      .expect(200);
    expect(body.status).toBe('active');
    const user = await t.host.users.findByLogin('evestone');
    expect(user?.email).toBe('Eve@shop.test'); // the mailbox that is proven, whatever the form says
    const affiliate = user && (await t.app.affiliates.findByUser(user.id));
    expect(affiliate).toMatchObject({
      status: 'active',
      group_id: group.id,
      note: 'My blog', // the answer, not the message in the mail
      custom_fields: { url: 'https://eve.test/' },
    });
    const [kept] = (await t.admin.get('/invitations').expect(200)).body.invitations.data;
    expect(kept.note).toBe('Met at the fair');
    expect(await states(t)).toEqual([['Eve@shop.test', 'accepted']]);
    expect((await t.anonymous.get(`/registration/invitation?key=${key}`).expect(422)).body.code).toBe(
      'invitation_closed',
    );
  });

  it('go to each address once; wrong ones and affiliates are named', async () => {
    const t = await startApp();
    await t.records.affiliate();
    const first = await invite(t, {
      emails: ['eve@shop.test', ' EVE@shop.test ', 'no address', 'alice@shop.test'],
    });
    expect(first).toMatchObject({
      invited: 1,
      left_out: [
        { email: 'no address', reason: 'invalid' },
        { email: 'alice@shop.test', reason: 'is_affiliate' },
      ],
    });
    expect((await invite(t, { emails: ['eve@shop.test'] })).left_out).toEqual([
      { email: 'eve@shop.test', reason: 'invited' },
    ]);
  });

  it('go to an address once, also when several people invite it at the same time', async () => {
    const t = await startApp();
    const responses = await Promise.all(
      Array.from({ length: 6 }, () =>
        t.app.invitations.invite({ emails: ['eve@shop.test', 'zoe@shop.test'] }),
      ),
    );
    expect(responses.reduce((sum, { invited }) => sum + invited, 0)).toBe(2);
    expect(responses.map((each) => each.invited + each.left_out.length)).toEqual(
      Array.from({ length: 6 }, () => 2),
    );
    expect(Object.fromEntries(await states(t))).toEqual({ 'eve@shop.test': 'open', 'zoe@shop.test': 'open' });
    expect(await states(t)).toHaveLength(2);
    t.clock.advance(60_000);
    await t.service.emails.deliverDue();
    expect(t.host.mailbox.filter(({ text }) => text.includes('invitation=')).length).toBe(2);
  });

  it('end after 14 days, and can be sent again and withdrawn', async () => {
    const t = await startApp();
    await invite(t, { emails: ['eve@shop.test'] });
    const key = await keyFrom(t);
    t.clock.advance(14 * DAY);
    expect(await states(t)).toEqual([['eve@shop.test', 'expired']]);
    const ask = (): ReturnType<TestApp['anonymous']['get']> =>
      t.anonymous.get(`/registration/invitation?key=${key}`);
    expect((await ask().expect(422)).body.code).toBe('invitation_expired');
    const [{ id }] = (await t.admin.get('/invitations').expect(200)).body.invitations.data;
    await t.admin.post(`/invitations/${id}/resend`).expect(200);
    await ask().expect(200);
    expect(await keyFrom(t)).toBe(key);
    await t.admin.delete(`/invitations/${id}`).expect(200);
    expect((await ask().expect(422)).body.code).toBe('invitation_closed');
    expect((await t.admin.post(`/invitations/${id}/resend`).expect(422)).body.code).toBe('invitation_closed');
    const forged = key.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    expect((await t.anonymous.get(`/registration/invitation?key=${forged}`).expect(422)).body.code).toBe(
      'invitation_unknown',
    );
  });

  it('that expired are not sent again while a newer one to the same address is open', async () => {
    const t = await startApp();
    await invite(t, { emails: ['eve@shop.test'] });
    t.clock.advance(14 * DAY);
    expect(await invite(t, { emails: ['Eve@shop.test'] })).toMatchObject({ invited: 1 });
    const [newer, old] = (await t.admin.get('/invitations').expect(200)).body.invitations.data;
    const resend = ({ id }: { id: number }) => t.admin.post(`/invitations/${id}/resend`);
    expect((await resend(old).expect(422)).body.code).toBe('invitation_open');
    expect(await states(t)).toEqual([
      ['Eve@shop.test', 'open'],
      ['eve@shop.test', 'expired'],
    ]);
    await resend(newer).expect(200);
    await t.admin.delete(`/invitations/${newer.id}`).expect(200);
    await resend(old).expect(200);
    expect((await states(t))[1]).toEqual(['eve@shop.test', 'open']);
  });

  it('for a user with an account are accepted by this account only', async () => {
    const t = await startApp();
    await invite(t, { emails: ['carol@shop.test'], rate_type: 'flat', rate: '4.50' });
    const key = await keyFrom(t);
    expect((await t.anonymous.get(`/registration/invitation?key=${key}`).expect(200)).body).toMatchObject({
      has_account: true,
      rate: { rate: 4.5, rate_type: 'fixed' },
    });
    const apply = (userId: number) =>
      t
        .as(userId)
        .post('/registration')
        .send({ ...GUEST, invitation: key });
    expect((await apply(5).expect(422)).body.code).toBe('invitation_other_account');
    expect((await apply(4).expect(200)).body.status).toBe('active');
    expect(await t.app.affiliates.findByUser(4)).toMatchObject({ rate_type: 'flat', rate_e4: 45_000 });
  });

  it('are sent with a right of its own, and by no API key', async () => {
    const t = await startApp();
    const send = () =>
      t
        .as(3)
        .post('/invitations')
        .send({ emails: ['eve@shop.test'] });
    const give = (permissions: string[]) =>
      t.admin.post('/settings/managers').send({ user_id: 3, permissions }).expect(200);
    await give(['manage_all_affiliates']);
    await send().expect(403);
    await t.as(3).get('/invitations').expect(200);
    await give(['manage_all_affiliates', 'send_messages']);
    await send().expect(200);
    await t.admin
      .post('/settings/api-keys')
      .send({ name: 'Script', rights: ['send_messages'] })
      .expect(422);
  });
});
