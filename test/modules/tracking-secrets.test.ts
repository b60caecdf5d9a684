import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp, type TestOptions } from '../support/app.js';
import { cookieOf, trackedSite } from '../support/tracker.js';
import { startBeside } from '../support/same-database.js';

const OLD = 'the secret that was used before it was replaced';
const NEW = 'the secret that has been used since, as long as it';
const DAY = 86_400_000;

/** A click, a checkout token and a hashed link of an affiliate, all made with the old secret. */
async function before(options: TestOptions = { secret: OLD }) {
  const t = await startApp(options);
  await t.admin
    .post('/settings/referral-config')
    .send({ referral_config: { referral_format: 'hash', cookie_duration: 3650 } })
    .expect(200);
  const affiliate = (await t.records.affiliate()) as { id: number };
  const link = await t.service.tracking.valueOf((await t.service.affiliates.find(affiliate.id))!);
  const cookie = cookieOf(await trackedSite(t.app).open(`/?ref=${link}`));
  const req = { headers: { cookie } } as never;
  const token = await t.service.checkoutToken(req);
  const restart = (settings: TestOptions): Promise<TestApp> => startBeside(t, settings);
  return { t, affiliate, link, req, token, restart };
}

describe('a replaced secret (docs/integrations.md §10)', () => {
  it('still vouches for cookies, links and tokens for 400 days, and no other secret does', async () => {
    const old = await before();
    const t = await old.restart({ secret: NEW, previousSecrets: [OLD] });
    t.clock.time = old.t.clock.time;
    const whose = async (): Promise<unknown[]> => [
      (await t.service.tracking.attribution(old.req))?.affiliate.id,
      (await t.service.tracking.resolveParam(old.link))?.id,
    ];
    expect(await whose()).toEqual([old.affiliate.id, old.affiliate.id]);
    t.clock.advance(399 * DAY);
    expect(await whose()).toEqual([old.affiliate.id, old.affiliate.id]);
    t.clock.advance(2 * DAY);
    expect(await whose()).toEqual([undefined, undefined]);

    const restarted = await old.restart({ secret: NEW, previousSecrets: [OLD] });
    restarted.clock.time = t.clock.time;
    expect(await restarted.service.tracking.attribution(old.req)).toBeNull();
    const stranger = await old.restart({ secret: NEW });
    expect(await stranger.service.tracking.attribution(old.req)).toBeNull();
  });

  it('is the generated one too, once the host gives its own', async () => {
    const { app } = await startApp(); // empties the database, where the generated secret is kept
    const old = await before({ secret: undefined, keep: true, database: app.db.knex });
    const t = await old.restart({ secret: NEW });
    expect((await t.service.tracking.attribution(old.req))?.affiliate.id).toBe(old.affiliate.id);
  });

  it('opens what it sealed', async () => {
    const { t, restart } = await before();
    const { body } = await t.admin
      .post('/settings/connected-sites-config/issue')
      .send({ site_url: 'https://store2.test' })
      .expect(200);
    const next = await restart({ secret: NEW, previousSecrets: [OLD] });
    expect(await next.service.connectedSites.getSite(body.site_id, body.server_token)).toMatchObject({
      site_id: body.site_id,
    });
    // it was sealed anew at that start
    const alone = await restart({ secret: NEW });
    expect(await alone.service.connectedSites.getSite(body.site_id, body.server_token)).not.toBeNull();
    const lost = await restart({ secret: 'a third secret that nobody has named', secrets: 'replace' });
    expect(await lost.service.connectedSites.getSite(body.site_id, body.server_token)).toBeNull();
  });

  it('is named in full length or refused', async () => {
    await expect(startApp({ previousSecrets: ['short'] })).rejects.toThrow('previousSecrets');
  });
});
