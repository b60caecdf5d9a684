import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startApp, type TestApp } from '../support/app.js';

const get = (t: TestApp, headers: Record<string, string>): request.Test =>
  request(t.server).get(`${t.service.basePath}/affiliates`).set(headers);

async function withPasswords(): Promise<TestApp> {
  const t = await startApp();
  const users = await t.host.users.find([1, 3]);
  Object.assign(t.host, {
    authenticate: async (req: { headers: { authorization?: string } }) => {
      const user = users.find(({ login }) => req.headers.authorization === `Basic ${login}`);
      return user ? { user, ambient: false } : null;
    },
  });
  return t;
}

describe('own credentials', () => {
  it('need no nonce, for reads and writes', async () => {
    const t = await withPasswords();
    const Authorization = 'Basic admin';
    await get(t, { Authorization }).expect(200);
    await request(t.server)
      .post(`${t.service.basePath}/affiliates`)
      .set({ Authorization })
      .send({ user_id: 2, status: 'active', rate_type: 'default', payment_email: 'a@b.test' })
      .expect(200);
  });

  it('have their user’s rights', async () => {
    const t = await withPasswords();
    await get(t, { Authorization: 'Basic bob' }).expect(403);
    await get(t, { Authorization: 'Basic wrong' }).expect(401);
  });

  it('are no cookie: its request still needs the nonce, and the error says so', async () => {
    const t = await withPasswords();
    const { Cookie = '' } = t.headers(1);
    const { body } = await get(t, { Cookie }).expect(401);
    expect(body.message).toContain('X-WP-Nonce');
    expect(body).toMatchObject({ code: 'rest_forbidden', data: { status: 401 } });
    await get(t, { Cookie, 'X-WP-Nonce': 'wrong' }).expect(403);
  });
});
