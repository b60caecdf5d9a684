import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp, type TestOptions } from '../support/app.js';
import { testDatabase } from '../support/databases.js';
import { BROWSER, cookieOf, trackedSite } from '../support/tracker.js';
import { startBeside } from '../support/same-database.js';
import { storedText } from '../support/rows.js';
import request from 'supertest';

const SECRET = 'one secret that a hoster gives to all of its shops';

/** A shop with one affiliate, and everything somebody could carry away from it. */
async function shop(options: TestOptions) {
  const { app } = await startApp({ secret: SECRET, ...options });
  // again, since the first start of a test empties the database, the mark of its secret too
  const t = await startBeside({ app }, { secret: SECRET });
  await t.admin
    .post('/settings/referral-config')
    .send({ referral_config: { referral_format: 'hash' } })
    .expect(200);
  const affiliate = (await t.records.affiliate()) as { id: number };
  const link = (await t.service.tracking.valueOf((await t.service.affiliates.find(affiliate.id))!))!;
  const cookie = cookieOf(await trackedSite(t.app).open(`/?ref=${link}`));
  const token = (await t.service.checkoutToken({ headers: { cookie } } as never))!;
  const order = t.service.tracking.signConversion({
    provider_id: 'A-1',
    amount: '20000.00',
    currency: 'USD',
  });
  return { t, affiliate, link, cookie, token, order };
}

const report = (t: TestApp, order: string, cookie: string) =>
  request(t.server)
    .post(`${t.service.basePath}/track/conversion`)
    .set({ Cookie: cookie, 'User-Agent': BROWSER, Origin: 'https://shop.test' })
    .type('form')
    .send({ token: order });

const otherSecretLogged = (t: TestApp): boolean =>
  t.log.some(({ level, message }) => level === 'error' && message.includes('a different secret'));

describe('two services with one secret', () => {
  it('accept nothing that the other one made', async () => {
    const one = await shop({});
    const two = await shop({ database: await testDatabase({ purpose: 'tenant', shared: true }) });

    await report(two.t, one.order, two.cookie).expect(403);
    expect(await two.t.service.tracking.attribution({ headers: { cookie: one.cookie } } as never)).toBeNull();
    expect(await two.t.service.tracking.resolveParam(one.link)).toBeNull();
    const paid = async (t: TestApp, token: string) =>
      t.service.conversions.record(null, {
        provider: 'shop',
        reference: 'B-1',
        order: { subtotal: '100.00', currency: 'USD' },
        token,
      } as never);
    await paid(two.t, one.token).catch(() => null);
    expect((await two.t.admin.get('/referrals').expect(200)).body.referrals.total).toBe(0);

    // Each takes its own.
    await report(two.t, two.order, two.cookie)
      .expect(200)
      .expect(({ body }) => expect(body.message).toBe('success'));
    expect((await two.t.service.tracking.resolveParam(two.link))?.id).toBe(two.affiliate.id);
  });

  it('keep their id over restarts, and read what they sealed', async () => {
    const first = await shop({});
    const again = await startBeside(first.t, { secret: SECRET });
    expect((await again.service.tracking.resolveParam(first.link))?.id).toBe(first.affiliate.id);
    expect(again.app.secrets.open('x', first.t.app.secrets.seal('x', 'text'))).toBe('text');
  });
});

describe('a database used with two secrets', () => {
  const OTHER = 'a different secret, as long as the first one was or longer';

  it('is logged as an error, or refused', async () => {
    const { t } = await shop({});
    expect(otherSecretLogged(t)).toBe(false);
    const warned = await startBeside(t, { secret: OTHER });
    expect(otherSecretLogged(warned)).toBe(true);
    expect(warned.app.secrets.differs).toBe(true);
    await expect(startBeside(t, { secret: OTHER, secrets: 'strict' })).rejects.toThrow('a different secret');
    const same = await startBeside(t, { secret: SECRET, secrets: 'strict' });
    expect(otherSecretLogged(same)).toBe(false);
  });

  it('starts after a change that names the old one, or that replaces it', async () => {
    const { t } = await shop({});
    const changed = await startBeside(t, {
      secret: OTHER,
      previousSecrets: [SECRET],
      secrets: 'strict',
    });
    expect(otherSecretLogged(changed)).toBe(false);
    expect(otherSecretLogged(await startBeside(t, { secret: SECRET }))).toBe(true);
    expect(otherSecretLogged(await startBeside(t, { secret: OTHER, secrets: 'strict' }))).toBe(false);

    const given = await startBeside(t, { secret: SECRET, secrets: 'replace' });
    expect(otherSecretLogged(given)).toBe(false);
    expect(otherSecretLogged(await startBeside(t, { secret: SECRET, secrets: 'strict' }))).toBe(false);
  });

  it('never shows a secret', async () => {
    const { t } = await shop({});
    const warned = await startBeside(t, { secret: OTHER });
    expect(JSON.stringify([t.log, warned.log, await storedText(t, 'options')])).not.toMatch(
      /one secret|as long as/,
    );
  });
});
