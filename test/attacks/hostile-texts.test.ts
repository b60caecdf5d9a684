import { afterAll, describe, expect, it } from '@jest/globals';
import { isMap } from '../../src/core/is-map.js';
import { LANGUAGES } from '../../src/core/localized.js';
import type { Route } from '../../src/platform/http/define-route.js';
import { typesOf, type Schema } from '../../src/platform/http/normalize.js';
import { allRoutes } from '../../src/app/routes.js';
import { startApp, type TestApp, type Verb } from '../support/app.js';
import { TABLES } from '../../adapters/database/tables.js';
import { connectChild, signed, type Child } from '../support/sites.js';

// Every text field of every declared route, with ten values that invite a program to change them. A text is
// stored as it was sent, except for white space around it, or refused; it is never changed without a word.

const VALUES: readonly (readonly [name: string, value: (mark: string) => string])[] = [
  ['a control character', (mark) => `${mark}\u0007x`],
  ['a mark that turns the direction', (mark) => `${mark}\u202Ex`],
  ['a character of no width', (mark) => `${mark}\u200Bx`],
  ['a tag', (mark) => `${mark}<b>x`],
  ['quotes', (mark) => `${mark}"'\`x`],
  ['a long text', (mark) => `${mark}${'x'.repeat(70_000)}`],
  ['NUL', (mark) => `${mark}\u0000x`],
  ['half a character', (mark) => `${mark}\uD800x`],
  ['only spaces', () => ' \t '],
  ['a list with commas', (mark) => `${mark}, x,y`],
];

interface Call {
  readonly verb?: Verb;
  readonly path?: string;
  readonly user?: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** Fields below an open map of the schema. */
  readonly more?: readonly string[];
  readonly site?: boolean;
}

interface Program {
  readonly t: TestApp;
  readonly child: Child;
  /** A number that no other request has. */
  readonly at: number;
  readonly ids: Readonly<
    Record<
      | 'affiliate'
      | 'other'
      | 'paused'
      | 'referral'
      | 'order'
      | 'customer'
      | 'payout'
      | 'group'
      | 'creative'
      | 'key'
      | 'link'
      | 'webhook',
      number
    >
  >;
}

const leadOf = (at: number) => ({ provider: 'shop', reference: `L-${at}`, kind: 'signup' });
const config = { title: 'May', description: 'Run of May' };
const subject = { subject: 'Hello', email_body: '<p>Hello</p>', active: 'yes', is_default_body: 'no' };
const mail = { email_key: 'new_sale_to_affiliate', data: subject };
const creative = (type: string): Call['body'] => ({
  name: 'Banner',
  type,
  text: 'Buy',
  url: 'https://shop.test/',
  privacy: 'public',
});
const letter = (id: number): Call['body'] => ({
  subject: 'Hello',
  body: '<p>Hello</p>',
  audience: { ids: [id] },
});
const rule = { utm_campaign: 'spring', url: 'https://shop.test/' };
const site = (more: Call['body']): Call => ({ site: true, body: more });

/** A request that is accepted as it stands, for every route that takes texts. */
const CALLS: Readonly<Record<string, (program: Program, field: string) => Call | Promise<Call>>> = {
  'affiliates.create': ({ t, at }) => ({
    body: {
      user_id: newUser(t, at),
      status: 'active',
      rate_type: 'default',
      payment_email: 'pay@a.test',
      bank_details: 'At home',
    },
  }),
  'affiliates.update': ({ ids }) => ({ path: `/affiliates/${ids.affiliate}`, body: {} }),
  // Of an affiliate of its own: the others have to stay active.
  'affiliates.status': ({ at, ids }) => ({
    path: `/affiliates/${ids.paused}/status`,
    body: { status: at % 2 === 0 ? 'inactive' : 'active' },
  }),
  'affiliates.correct_balance': ({ ids, at }) => ({
    path: `/affiliates/${ids.affiliate}/balance-corrections`,
    body: { amount: 1, reason: 'Gift', repeat_key: `k-${at}` },
  }),
  'referrals.create': ({ ids }) => ({
    body: { affiliate_id: ids.affiliate, type: 'sale', status: 'unpaid', amount: 1 },
  }),
  'referrals.update': ({ at, ids }, field) =>
    field === 'reason'
      ? { path: `/referrals/${ids.order}`, body: { amount: at } }
      : { path: `/referrals/${ids.referral}`, body: {} },
  'referrals.refund': ({ ids }) => ({
    path: `/referrals/${ids.order}/refunds`,
    body: { refund_id: 'r', amount: 0.01 },
  }),
  'referrals.give': async ({ t, ids, at }) => {
    const { referral } = await t.service.conversions.record(null, {
      provider: 'shop',
      reference: `G-${at}`,
      order: { subtotal: '10.00', currency: 'USD' },
      affiliate: ids.affiliate,
    });
    return { path: `/referrals/${referral!.id}/give`, body: { affiliate_id: ids.other, reason: 'Mail' } };
  },
  'payouts.preview': () => ({ body: { config } }),
  'payouts.process': async ({ t, ids }) => {
    await t.records.referral({ affiliate_id: ids.affiliate, amount: 5 });
    return { body: { config } };
  },
  'payouts.update': ({ ids }) => ({ path: `/payouts/${ids.payout}`, body: {} }),
  'groups.create': ({ at }) => ({ body: { meta_key: `G${at}`, rate_type: 'percentage', rate: 5 } }),
  'groups.update': ({ ids }) => ({ path: `/groups/groups/${ids.group}`, body: {} }),
  'creatives.create': () => ({ body: creative('text') }),
  'creatives.update': ({ ids }) => ({ path: `/creatives/creatives/${ids.creative}`, body: {} }),
  'portal.save_settings': () => ({
    user: 2,
    body: { settings: { ref_email_notification: 'yes', bank_details: 'At home' } },
  }),
  'portal.save_payment_details': () => ({
    user: 2,
    body: { method: 'bank_transfer', account_holder: 'Jo', iban: 'DE89370400440532013000' },
  }),
  'portal.save_invoice_details': async ({ t }) => {
    await t.app.settings.saveReferralConfig({ ask_invoice_details: 'yes' });
    return { user: 2, body: {} };
  },
  'portal.save_note': async ({ t }) => {
    const { affiliate_id: own } = (await t.as(2).get('/portal/bootstrap')).body.user;
    const { id } = await t.records.referral({ affiliate_id: own, amount: 10 });
    return { user: 2, path: `/portal/earnings/${id}/note`, body: {} };
  },
  'portal.save_profile': () => ({ user: 2, body: {} }),
  'portal.save_link_name': () => ({ user: 2, body: { name: 'jo' } }),
  'managers.invite': ({ at }) => ({
    body: { emails: [`m${at}@buyer.test`], permissions: ['read_all_visits'], note: 'Hello' },
  }),
  'managers.save': () => ({ body: { user_id: 5, permissions: ['read_all_affiliates'] } }),
  'api_keys.create': () => ({ body: { name: 'Key', rights: ['read_all_visits'] } }),
  'api_keys.update': ({ ids }) => ({ path: `/settings/api-keys/${ids.key}`, body: {} }),
  'migrations.start': () => ({ body: { migrator: 'affiliate_wp' } }),
  'migrations.check': () => ({ body: { migrator: 'affiliate_wp' } }),
  'migrations.cancel': () => ({ body: { migrator: 'affiliate_wp' } }),
  'migrations.wipe': () => ({ body: {} }),
  'settings.save_referral_config': () => ({ body: { referral_config: {} } }),
  'settings.save_program_rules': () => ({ body: {} }),
  'links.create': ({ ids, at }) => ({ body: { slug: `s-${at}`, affiliate_id: ids.affiliate, ...rule } }),
  'links.update': ({ ids }) => ({ path: `/settings/links/${ids.link}`, body: {} }),
  'portal.create_redirect_link': ({ at }) => ({ user: 2, body: { slug: `p-${at}`, ...rule } }),
  'settings.save_feature': (_program, field) => ({
    path: `/settings/features/${featureOf(field)}`,
    body: { is_enabled: 'yes' },
    more: ['settings.extra'],
  }),
  'settings.install_addons': () => ({ body: { addon_keys: ['none'] } }),
  'settings.create_page': () => ({ body: { title: 'Partners', content: 'Hello' } }),
  'registration.save_fields': (_program, field) => {
    if (field.endsWith('inline_label')) return { body: { fields: [{ name: 'terms_condition' }] } };
    const type = field.endsWith('html') ? 'raw_html' : 'select';
    return { body: { fields: [{ name: '', type, label: 'Choice', options: ['a', 'b'], enabled: 'yes' }] } };
  },
  'registration.register': ({ at }) => ({
    user: 0,
    body: {
      full_name: 'Jo Ray',
      email: `jo${at}@buyer.test`,
      username: `user${at}`,
      password: 'secret-1',
      conf_password: 'secret-1',
      note: 'In my blog',
      terms_condition: 'yes',
      bank_details: 'At home',
    },
    more: ['full_name', 'username', 'email', 'note', 'payment_email', 'url'],
  }),
  'registration.verify': () => ({ user: 0, body: { reference: 'r', code: '123456' } }),
  'registration.accept_manager': async ({ t, at }) => {
    const emails = [`n${at}@buyer.test`];
    await t.admin.post('/settings/managers/invitations').send({ emails, permissions: ['read_all_visits'] });
    const { rows } = await t.app.invitations.list({ kind: 'manager', page: 1, per_page: 1 });
    const key = (await t.app.invitations.linkOf(rows[0]!)).split('manager=')[1];
    const password = 'correct horse';
    const account = { full_name: 'Jo Low', username: `jo_${at}`, password, conf_password: password };
    return { user: 0, body: { key, ...account } };
  },
  'captcha.validate': () => ({ body: { settings: {}, token: 't' } }),
  'captcha.save': () => ({ body: { is_enabled: 'no', settings: {} } }),
  'emails.save_config': () => ({
    body: { settings: {} },
    more: [
      'send_from_name',
      'send_from_email',
      'reply_to_name',
      'reply_to_email',
      'admin_email',
      'font_family',
      'logo',
      'email_footer',
      'body_bg',
    ].map((name) => `settings.${name}`),
  }),
  'emails.save': () => ({ body: mail }),
  'emails.preview': () => ({ body: mail }),
  'emails.test': () => ({ body: mail }),
  'emails.save_all': () => ({ body: { emails: [{ email_key: mail.email_key, settings: subject }] } }),
  'webhooks.create': () => ({ body: { url: 'https://crm.test/', events: ['*'] } }),
  'webhooks.update': ({ ids }) => ({ path: `/settings/webhooks/${ids.webhook}`, body: {} }),
  'webhooks.replay': ({ ids }) => ({ path: `/settings/webhooks/${ids.webhook}/replay`, body: {} }),
  'sites.update': ({ child }) => ({ body: { site_id: child.site_id, data: {} } }),
  'sites.issue': ({ at }) => ({ body: { site_url: `https://s${at}.test` } }),
  'sites.disconnect': () => ({ body: { site_id: '1' } }),
  'sites.test': () => ({ body: { site_id: '1' } }),
  'sites.visit': ({ ids }) => site({ affiliate_param: String(ids.affiliate), url: 'https://store.test/' }),
  'sites.conversion': ({ ids, at }) =>
    site({
      reference: `S-${at}`,
      affiliate_param: String(ids.affiliate),
      order: { subtotal: 10 },
      products: [{ item_id: 'p', subtotal: 10 }],
      customer: { email: `b${at}@buyer.test` },
    }),
  'sites.lead': ({ ids, at }) =>
    site({
      reference: `L-${at}`,
      kind: 'signup',
      affiliate_param: String(ids.affiliate),
      customer: { email: `l${at}@buyer.test` },
    }),
  'leads.record': ({ ids, at }) => ({
    body: { ...leadOf(at), affiliate: ids.affiliate, customer: { email: `m${at}@buyer.test` } },
  }),
  'leads.qualify': ({ at }) => ({ body: leadOf(at) }),
  'leads.cancel': ({ at }) => ({ body: leadOf(at) }),
  'integrations.save_config': () => ({ body: { integration: 'custom', config: {} } }),
  'integrations.update_status': () => ({ body: { integration: 'custom', is_enabled: 'yes' } }),
  'integrations.ask': () => ({ body: { integration: 'custom', order: '1' } }),
  'license.activate': () => ({ body: { license_key: 'abcd-1234' } }),
  'coupons.bind': ({ ids, at }) => ({
    body: { provider: 'shop', code: `C-${at}`, affiliate_id: ids.affiliate },
  }),
  'customers.update': ({ ids }) => ({ path: `/customers/${ids.customer}`, body: {} }),
  'guide.mail_opened': () => ({ body: { key: 'k' } }),
  'invitations.create': ({ at }) => ({ body: { emails: [`new${at}@buyer.test`] } }),
  'messages.send': ({ ids }) => ({ body: letter(ids.affiliate) }),
  'messages.preview': ({ ids }) => ({ body: letter(ids.affiliate) }),
  'messages.test': ({ ids }) => ({ body: letter(ids.affiliate) }),
  'rewards.try': ({ ids }) => ({
    body: { affiliate_id: ids.affiliate, order: { order: { subtotal: 10 } }, rules: [] },
  }),
  'rewards.create': () => ({ body: { rules: [] } }),
  'rewards.update': async ({ t }) => {
    const draft = await t.service.rewards.create({ rules: [] });
    return { path: `/reward-rules/${draft.id}`, body: {} };
  },
  'rewards.activate': async ({ t }) => {
    const draft = await t.service.rewards.create({ rules: [] });
    return { path: `/reward-rules/${draft.id}/activate`, body: { without_simulation: true } };
  },
  'payers.save_settings': () => ({ body: {} }),
  'payers.send': ({ ids }) => ({
    path: `/payouts/${ids.payout}/send`,
    body: { method: 'paypal', count: 1, amount: 5 },
  }),
  'payers.settle': ({ ids }) => ({
    path: `/payouts/${ids.payout}/payments/1/settle`,
    body: { as: 'paid', note: 'Seen' },
  }),
  'payers.settle_batch': ({ ids }) => ({
    path: `/payouts/${ids.payout}/batches/1/settle`,
    body: { as: 'paid', note: 'Seen' },
  }),
  'payers.settle_finding': () => ({ path: '/payouts/findings/1/settle', body: { note: 'Seen' } }),
  'portal.choose_payout_method': () => ({ user: 2, body: { method: null } }),
  'registration.send_again': () => ({ user: 0, body: { reference: 'r' } }),
  'sites.follow_up': ({ at }) => ({
    ...site({ status: 'unpaid' }),
    path: `/connected-sites/referrals/S-${at}`,
  }),
};

/** What the text is compared with or looked for; nothing of it is stored. */
const ONLY_READ = new Set([
  'payouts.preview config.title',
  'payouts.preview config.description',
  'payouts.preview config.preview_token',
  // What is looked for, mailed or asked elsewhere at once.
  'messages.preview audience.matching.search',
  'messages.test audience.matching.search',
  'messages.test subject',
  'messages.test body',
  'emails.test data.subject',
  'emails.test data.email_body',
  // A preview and a test show one language.
  ...['emails.preview', 'emails.test'].flatMap((id) =>
    LANGUAGES.flatMap((language) =>
      ['subject', 'email_body'].map((part) => `${id} data.texts.${language}.${part}`),
    ),
  ),
  'sites.conversion customer.ip',
  'sites.lead customer.ip',
  'leads.record customer.ip',
  'leads.record affiliate',
  'leads.record coupon',
  'sites.visit current_param',
  // The details of another method of payment than the program's.
  'affiliates.create payment_email',
  'affiliates.update payment_email',
  'portal.save_settings settings.payment_email',
  'portal.save_payment_details payment_email',
  'registration.register payment_email',
  // Sent back with the form, and never changed.
  'registration.save_fields fields.0.value',
  // The page and the account that the host makes are the host's.
  'registration.accept_manager full_name',
  'settings.create_page content',
  // Sealed.
  ...['recaptcha.v2_', 'recaptcha.v3_', 'hcaptcha.', 'turnstile.'].map(
    (name) => `captcha.save settings.providers.${name}secret_key`,
  ),
  // Tried at once, and not stored.
  'captcha.validate token',
  ...['recaptcha.v2_', 'recaptcha.v3_', 'hcaptcha.', 'turnstile.'].flatMap((name) =>
    ['site_key', 'secret_key'].map((key) => `captcha.validate settings.providers.${name}${key}`),
  ),
  ...['recaptcha', 'hcaptcha', 'turnstile'].map(
    (name) => `captcha.validate settings.providers.${name}.error_message`,
  ),
  'license.activate license_key',
  // Sent back with the record, and never changed.
  'sites.update data.site_url',
  // What is not installed is left out.
  'settings.save_referral_config referral_config.enabled_integrations.0',
  // What a visitor's browser said: shortened and without control characters, so that the visit counts.
  'sites.visit referrer',
  'sites.visit utm_campaign',
  'sites.visit utm_medium',
  'sites.visit utm_source',
  // A sealed token of the primary; another text is no click.
  'sites.conversion click',
  ...['sub1', 'sub2', 'sub3', 'sub4', 'sub5'].map((name) => `sites.visit ${name}`),
]);

const featureOf = (field: string): string => {
  if (field === 'settings.extra') return 'own_link_name';
  return field.includes('color') ? 'affiliate_qr_code' : 'social_media_share';
};

const newUser = (t: TestApp, at: number): number =>
  t.host.addUser({ id: 1000 + at, login: `user-${at}`, email: `u${at}@shop.test`, display_name: 'U' }).id;

/** The paths of all texts in a schema: `config.title`, `rights.0`. */
function textsIn(schema: Schema, path: readonly string[] = []): string[] {
  const here = schema.shape ?? schema;
  const types = typesOf(here);
  const isWord = [here.enum, here.lenient, here.flag, here.day, here.money, here.rate].some(Boolean);
  const inner = [
    ...Object.entries(here.properties ?? {}).flatMap(([name, of]) => textsIn(of, [...path, name])),
    ...(here.items ? textsIn(here.items, [...path, '0']) : []),
    ...(here.anyOf ?? []).flatMap((branch) => textsIn(branch, path)),
  ];
  return [...new Set([...inner, ...(types.includes('string') && !isWord ? [path.join('.')] : [])])];
}

function withText(body: unknown, path: readonly string[], text: string): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return text;
  if (key === '0') return [withText(Array.isArray(body) ? body[0] : undefined, rest, text)];
  const map = isMap(body) ? body : {};
  return { ...map, [key]: withText(map[key], rest, text) };
}

const textsOf = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsOf)
      : [];

/** The texts with this mark in every table, those inside stored JSON too, and of the user who was made. */
async function stored({ t: { app, host }, at }: Program, mark: string): Promise<string[]> {
  const texts = textsOf(await host.users.findByLogin(`user${at}`)).filter((one) => one.includes(mark));
  for (const table of TABLES)
    for (const text of textsOf(await app.db(table).select('*')).filter((one) => one.includes(mark)))
      texts.push(text, ...textsOf(parsed(text)).filter((one) => one.includes(mark)));
  return texts;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isOpen = ({ properties = {}, additionalProperties: rest }: Schema): boolean =>
  rest === true || Object.values(properties).some(isOpen);
const written = allRoutes().filter(
  ({ body }) => body !== undefined && (textsIn(body as Schema).length > 0 || isOpen(body as Schema)),
);

async function startProgram(): Promise<Omit<Program, 'at'>> {
  const t = await startApp({ shared: true, registration: { verifyEmail: false } });
  await t.app.settings.saveReferralConfig({ payout_method: 'bank_transfer' });
  const child = await connectChild(t);
  await t.admin.post('/settings/features/own_link_name').send({ is_enabled: 'yes' }).expect(200);
  const affiliate = (await t.records.affiliate({ user_id: 2, bank_details: 'At home' })).id;
  const order = await t.service.conversions.record(null, {
    provider: 'shop',
    reference: 'A-1',
    status: 'pending',
    order: { subtotal: '1000.00', currency: 'USD' },
    customer: { email: 'first@buyer.test' },
    affiliate,
  });
  await t.records.referral({ affiliate_id: affiliate, amount: 5 });
  const payout = (await t.records.payout()).id;
  const made = async (path: string, body: object, name: string): Promise<number> => {
    const answer = await t.admin
      .post(path)
      .send(body)
      .ok(() => true);
    expect([path, answer.status, answer.body]).toEqual([path, 200, expect.anything()]);
    return (answer.body[name] ?? answer.body.data ?? answer.body).id;
  };
  return {
    t,
    child,
    ids: {
      affiliate,
      other: (await t.records.affiliate({ user_id: 3, bank_details: 'There' })).id,
      paused: (await t.records.affiliate({ user_id: 4, bank_details: 'Here' })).id,
      payout,
      order: order.referral!.id,
      customer: order.referral!.customer_id!,
      referral: (await t.records.referral({ affiliate_id: affiliate, amount: 5 })).id,
      group: (await t.records.group()).id,
      creative: await made(
        '/creatives/creatives',
        { ...creative('html'), text: '<a href="{{affiliate_link}}">Buy</a>' },
        'creative',
      ),
      key: await made('/settings/api-keys', { name: 'K', rights: ['read_all_visits'] }, 'api_key'),
      link: await made('/settings/links', { slug: 'first', affiliate_id: affiliate, ...rule }, 'link'),
      webhook: await made('/settings/webhooks', { url: 'https://crm.test/', events: ['*'] }, 'webhook'),
    },
  };
}

describe('every text of every route', () => {
  let at = 0;
  let program: Promise<Omit<Program, 'at'>> | null = null;
  afterAll(async () => (await program)?.t.close());

  it('has a request of its own here', () => {
    expect(written.map(({ id }) => id).toSorted()).toEqual(Object.keys(CALLS).toSorted());
  });

  it.each(written.map((route) => [route.id, route] as const))('%s', async (id, route) => {
    const started = await (program ??= startProgram());
    const changed: string[] = [];
    const fields = [
      ...textsIn(route.body as Schema),
      ...((await CALLS[id]!({ ...started, at: ++at }, '')).more ?? []),
    ];
    for (const field of fields)
      for (const [name, make] of VALUES) {
        const mark = `zq${++at}zq`;
        const text = /(?:url|image|logo)$/.test(field) ? `https://shop.test/?a=${make(mark)}` : make(mark);
        const { status, found } = await sent(route, { ...started, at }, { field, text, mark });
        if (status >= 500 && status !== 502) changed.push(`${field}: ${name} answers ${status}`);
        if (found !== null && !found.some((one) => one.includes(text.trim())))
          changed.push(
            `${field}: ${name} is ${found.length === 0 ? 'dropped' : JSON.stringify(found[0]!.slice(0, 80))}`,
          );
      }
    expect(changed.filter((one) => !ONLY_READ.has(`${id} ${one.split(':')[0]}`))).toEqual([]);
  });
});

/** The status, and every text of answer and tables that has the mark; null when there is nothing to find. */
async function sent(
  route: Route,
  program: Program,
  { field, text, mark }: { readonly field: string; readonly text: string; readonly mark: string },
): Promise<{ readonly status: number; readonly found: readonly string[] | null }> {
  const { t, child } = program;
  t.clock.advance(30_000);
  const call = await CALLS[route.id]!(program, field);
  const body = withText(call.body, field.split('.'), text) as object;
  const path = call.path ?? route.paths[0];
  const verb = route.method;
  const { status, body: answer } = call.site
    ? await signed(t, child, verb as 'post', path, body).ok(() => true)
    : await t
        .as(call.user ?? 1)
        [verb](path)
        .send(body)
        .ok(() => true);
  if (status !== 200 || !text.includes(mark)) return { status, found: null };
  const answered = textsOf(answer).filter((one) => one.includes(mark));
  if (answered.some((one) => one.includes(text.trim()))) return { status, found: answered };
  return { status, found: [...answered, ...(await stored(program, mark))] };
}
