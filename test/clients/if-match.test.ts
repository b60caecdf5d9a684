import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { shopProvider } from './shop-provider.js';

interface Saved {
  readonly path: string;
  readonly query?: string;
  readonly verb?: 'post' | 'patch';
  readonly first: object;
  readonly second: object;
}

const SETTINGS: readonly Saved[] = [
  {
    path: '/settings/referral-config',
    first: { referral_config: { rate: 11 } },
    second: { referral_config: { rate: 12 } },
  },
  {
    path: '/settings/email-config',
    first: { settings: { send_from_name: 'One' } },
    second: { settings: { send_from_name: 'Two' } },
  },
  {
    path: '/settings/email-config/emails',
    verb: 'patch',
    first: { email_key: 'new_sale_to_admin', data: { subject: 'One' } },
    second: { email_key: 'new_sale_to_admin', data: { subject: 'Two' } },
  },
  {
    path: '/settings/features/affiliate_qr_code',
    first: { is_enabled: 'yes', settings: { qr_color: '#111111' } },
    second: { is_enabled: 'yes', settings: { qr_color: '#222222' } },
  },
  {
    path: '/settings/integration/config',
    query: '?integration=woo',
    first: { integration: 'woo', config: { disable_on_upgrades: 'no' } },
    second: { integration: 'woo', config: { is_enabled: 'yes' } },
  },
  {
    path: '/settings/registration-fields',
    first: { fields: [], settings: { require_approval: 'no' } },
    second: { fields: [], settings: { enabled: 'no' } },
  },
  {
    path: '/settings/program-rules',
    first: { refundFlat: 'keep' },
    second: { refundFlat: 'prorate' },
  },
  {
    path: '/settings/captcha',
    first: { settings: { active_provider: 'turnstile' } },
    second: { settings: { active_provider: 'hcaptcha' } },
  },
  {
    path: '/settings/connected-sites-config',
    verb: 'patch',
    first: { status: 'yes' },
    second: { status: 'no' },
  },
];

/** Other ways to save a part of the same settings. */
const PARTS = {
  'post /settings/email-config/emails': { emails: [] },
  'post /settings/integration/update-status': { integration: 'woo', is_enabled: 'yes' },
  'patch /settings/connected-sites-config/update': { site_id: '1', data: { title: 'Two' } },
};

const read = async (t: TestApp, { path, query = '' }: Saved): Promise<string> =>
  String((await t.admin.get(path + query).expect(200)).headers['etag']);

describe('settings that two administrators save (If-Match)', () => {
  it.each(SETTINGS)('$path', async (saved) => {
    const t = await startApp({ providers: [shopProvider('woo')] });
    const { path, verb = 'post', first, second } = saved;
    const opened = await read(t, saved);
    expect(opened).toMatch(/^"[\w-]{22}"$/);
    expect(await read(t, saved)).toBe(opened);

    const answer = await t.admin[verb](path).set('If-Match', opened).send(first).expect(200);
    const now = await read(t, saved);
    expect(answer.headers['etag']).toBe(now);
    expect(now).not.toBe(opened);

    const refused = await t.admin[verb](path).set('If-Match', opened).send(second).expect(412);
    expect(refused.body).toMatchObject({ code: 'settings_changed', data: { status: 412 } });
    expect(await read(t, saved)).toBe(now);

    await t.admin[verb](path).set('If-Match', `"other", ${now}`).send(second).expect(200);
    await t.admin[verb](path).set('If-Match', '*').send(first).expect(200);
    await t.admin[verb](path).send(second).expect(200);
  });

  it('are all of them', async () => {
    const t = await startApp({ providers: [shopProvider('woo')] });
    const known = Object.entries(t.service.openapi().paths as Record<string, Record<string, unknown>>)
      .flatMap(([path, verbs]) => Object.entries(verbs).map(([verb, each]) => ({ path, verb, each })))
      .filter(({ path, each }) => path.startsWith('/settings') && JSON.stringify(each).includes('IfMatch'))
      .map(({ path, verb }) => `${verb} ${path.replace('{feature_key}', 'affiliate_qr_code')}`);
    const saved = SETTINGS.map(({ path, verb = 'post' }) => `${verb} ${path}`);
    expect(known.toSorted()).toEqual([...saved, ...Object.keys(PARTS)].toSorted());
    for (const [way, body] of Object.entries(PARTS)) {
      const [verb, path] = way.split(' ') as ['post' | 'patch', string];
      const { status } = await t.admin[verb](path).set('If-Match', '"of yesterday"').send(body);
      expect([way, status]).toEqual([way, 412]);
    }
  });

  it('lets one of two who save at once through', async () => {
    const t = await startApp();
    const tag = await read(t, SETTINGS[0]!);
    const answers = await Promise.all(
      [11, 12, 13].map((rate) =>
        t.admin.post('/settings/referral-config').set('If-Match', tag).send({ referral_config: { rate } }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412, 412]);
  });

  it('stands in the OpenAPI document', async () => {
    const t = await startApp();
    const reference = (place: string, name: string): object => ({ $ref: `#/components/${place}/${name}` });
    expect(t.service.openapi()).toMatchObject({
      paths: {
        '/settings/referral-config': {
          get: { parameters: [], responses: { 200: { headers: { ETag: expect.anything() } } } },
          post: {
            parameters: expect.arrayContaining([reference('parameters', 'IfMatch')]),
            responses: { 412: reference('responses', 'PreconditionFailed') },
          },
        },
        '/affiliates': {
          post: { responses: expect.not.objectContaining({ 412: expect.anything() }) },
        },
      },
      components: { parameters: { IfMatch: { name: 'If-Match', in: 'header', required: false } } },
    });
  });
});
