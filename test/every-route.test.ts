import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { allRoutes } from '../src/app/routes.js';
import { inMatchingOrder } from '../src/platform/http/route-table.js';
import { PublicSchemas } from '../src/platform/http/public-schema.js';
import { Validator } from '../src/platform/http/validate.js';
import { AnswerCheck } from './support/answers.js';
import { startApp, type TestApp } from './support/app.js';
import { accessText, formsMountedBefore, routeForms, specForms } from './support/endpoints.js';
import { addressOf, hasId, smallestBody, wrongTypes } from './support/route-cases.js';

// Generated from the route list: what every endpoint must do, whatever it is for.
// Behavior is tested beside the modules.

const PLAIN_USER = 5;
/** What is demanded only with some other values. */
const DEPENDS: Readonly<Record<string, readonly string[]>> = { 'affiliates.create': ['payment_email'] };
const routes = allRoutes();
const mounted = inMatchingOrder(routes);
const answers = new AnswerCheck(routes);
const guarded = mounted.filter(({ route }) => route.access.kind !== 'public' && route.access.kind !== 'site');
const title = ({ route, path }: (typeof mounted)[number]): string => `${route.method.toUpperCase()} ${path}`;
const cases = (list: typeof mounted): [string, (typeof mounted)[number]][] =>
  list.map((one) => [title(one), one]);

let t: TestApp;
beforeAll(async () => {
  t = await startApp({ shared: true });
});
afterAll(async () => {
  expect(await t.service.verify()).toEqual([]);
  await t.close();
});

const send = (one: (typeof mounted)[number], id?: number | string) =>
  request(t.server)[one.route.method](t.service.basePath + addressOf(one.path, id));

describe('every route', () => {
  it.each(cases(guarded))('%s answers 401 to the anonymous', async (_title, one) => {
    expect((await send(one).expect(401)).body).toMatchObject({
      code: 'rest_forbidden',
      data: { status: 401 },
    });
  });

  it.each(cases(mounted))('%s answers 403 to a wrong nonce', async (_title, one) => {
    t.clock.advance(300_000); // thirty wrong ones in five minutes are the limit
    const { cookie } = t.host.signIn(1);
    expect((await send(one).set('Cookie', cookie).set('X-WP-Nonce', 'wrong').expect(403)).body.code).toBe(
      'rest_cookie_invalid_nonce',
    );
  });

  it.each(cases(guarded.filter(({ route }) => route.access.kind !== 'signed_in')))(
    '%s answers 403 to a user without the right',
    async (_title, one) => {
      expect((await t.as(PLAIN_USER)[one.route.method](addressOf(one.path)).expect(403)).body).toMatchObject({
        code: 'rest_forbidden',
        data: { status: 403 },
      });
    },
  );

  // A route that takes bytes checks their signature before it reads them;
  // one that streams files takes no JSON.
  const takesJson = ({ route }: (typeof mounted)[number]): boolean =>
    route.method !== 'get' && route.accepts?.raw !== true && route.accepts?.stream !== true;
  it.each(cases(mounted.filter(takesJson)))('%s answers 400 to malformed JSON', async (_title, one) => {
    expect((await send(one).type('json').send('{"a":').expect(400)).body.code).toBe('rest_invalid_json');
  });

  it.each(cases(guarded.filter(({ route }) => route.body && wrongTypes(route.body) !== null)))(
    '%s answers 422 to wrong types',
    async (_title, one) => {
      const { body } = await t.admin[one.route.method](addressOf(one.path))
        .send(wrongTypes(one.route.body) ?? {})
        .expect(422);
      expect(body).toMatchObject({ code: 'validation_failed', data: { status: 422 } });
      expect(Object.keys(body.errors).length).toBeGreaterThan(0);
    },
  );

  it.each(
    cases(guarded.filter(({ route, path }) => route.body && route.method === 'post' && !path.includes(':'))),
  )('%s is described with what it demands', async (_title, one) => {
    const { body } = await t.admin.post(one.path).send({});
    const missing = Object.entries((body.errors ?? {}) as Record<string, object>).filter(
      ([, rules]) => 'required' in rules,
    );
    const { required } = new PublicSchemas().of(one.route.body) as { required?: readonly string[] };
    const depending = DEPENDS[one.route.id] ?? [];
    expect(required ?? []).toEqual(
      expect.arrayContaining(missing.map(([name]) => name).filter((name) => !depending.includes(name))),
    );
  });

  it.each(cases(guarded.filter(({ route }) => hasId(route))))(
    '%s answers 404 to an unknown id',
    async (_title, one) => {
      const { status, body } = await t.admin[one.route.method](addressOf(one.path)).send(
        one.route.body ? smallestBody(one.route.body) : {},
      );
      // The administrator is no affiliate, which the portal says before it looks for anything.
      const expected = one.path.startsWith('/portal/') ? 422 : 404;
      expect([status, body.code]).toEqual([expected, expect.stringMatching(/_not_found$/)]);
    },
  );

  it.each(cases(guarded.filter(({ route }) => hasId(route))))(
    '%s answers 404 to an address that only looks like one',
    async (_title, one) => {
      for (const id of ['abc', '0', '9007199254740993', '1.0', '%31x']) {
        expect((await t.admin[one.route.method](addressOf(one.path, id)).expect(404)).body.code).toBe(
          'rest_no_route',
        );
      }
    },
  );

  it.each(routes.map((route) => [route.id, route] as const))('%s has schemas that compile', (_id, route) => {
    const validator = new Validator();
    for (const schema of [route.params, route.query, route.body])
      if (schema) expect(validator.compile(schema)).toBeInstanceOf(Function);
  });
});

describe('every list and detail', () => {
  beforeAll(async () => {
    await t.records.group();
    const affiliate = await t.records.affiliate();
    await t.records.visit({ affiliate_id: affiliate.id });
    await t.records.referral({ affiliate_id: affiliate.id });
    await t.records.payout();
    await t.records.referral({ affiliate_id: affiliate.id });
  });

  it.each(cases(guarded.filter(({ route }) => route.method === 'get')))(
    '%s answers what it declares, like its first form',
    async (_title, one) => {
      const { status, body, headers } = await t.admin
        .get(addressOf(one.path, 1))
        .set('Accept', 'application/json');
      if (status === 404 && String(body.code).endsWith('_not_found')) return;
      if (status === 422) return;
      expect([status, body.message]).toEqual([200, body.message]);
      if (headers['content-type']?.startsWith('application/json')) answers.check(one.route, body);
      const first = await t.admin
        .get(addressOf(one.route.paths[0], 1))
        .set('Accept', 'application/json')
        .expect(200);
      const own = JSON.stringify(body).replaceAll(addressOf(one.path, 1), addressOf(one.route.paths[0], 1));
      expect(JSON.parse(own)).toEqual(first.body);
    },
  );
});

describe('the specification', () => {
  const forms = routeForms(routes);

  it('has all forms that have been mounted before', () => {
    const spec = specForms();
    const answered = spec.filter(({ form }) => forms.has(form));
    process.stdout.write(`${answered.length} of ${spec.length} forms of the specification are mounted\n`);
    const fresh = answered.map(({ form }) => form).filter((form) => !formsMountedBefore().includes(form));
    if (fresh.length > 0)
      process.stdout.write(
        `add to "mounted" of test/endpoints.json:\n${fresh.map((form) => `    ${JSON.stringify(form)}`).join(',\n')}\n`,
      );
    expect(formsMountedBefore().filter((form) => !forms.has(form))).toEqual([]);
  });

  it.each(
    specForms()
      .filter(({ form }) => forms.has(form))
      .map(({ form, access }) => [form, access]),
  )('gives %s to %s', (form, access) => {
    const route = forms.get(form);
    expect(route && accessText(route.access)).toBe(access);
  });
});
