import { afterEach, describe, expect, it } from '@jest/globals';
import { TABLES, type TableName } from '../../adapters/database/tables.js';
import { PLACES, type Fate } from '../../src/program/erasure/places.js';
import { startApp, type TestApp } from '../support/app.js';
import { startReceiver, type Receiver } from '../support/receiver.js';

// A planted word is followed through every text column of the schema: after an erasure, after the retention jobs,
// and in what endpoints get. A new column takes part without a line here.

const WORD = 'zyxplant';
const DAY = 86_400_000;
const TEXT = /char|text|clob/i;

const open: Receiver[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((receiver) => receiver.close()));
});

interface Column {
  readonly table: TableName;
  readonly name: string;
  readonly length: number | null;
}
const label = ({ table, name }: Pick<Column, 'table' | 'name'>): string => `${table}.${name}`;

async function textColumns({ app }: TestApp): Promise<Column[]> {
  const columns: Column[] = [];
  for (const table of TABLES) {
    const info = await app.db.knex(app.db.name(table)).columnInfo();
    for (const [name, { type, maxLength }] of Object.entries(info))
      if (TEXT.test(type))
        columns.push({ table, name, length: maxLength === null ? null : Number(maxLength) });
  }
  return columns;
}

const fateOf = ({ table, name }: Column): Fate =>
  (Object.entries(PLACES[table as keyof typeof PLACES]) as [Fate, readonly string[]][]).find(([, names]) =>
    names.includes(name),
  )?.[0] ?? 'erased';

/** The columns in which the word stands, in any spelling. */
async function found(t: TestApp, columns: readonly Column[]): Promise<string[]> {
  const hits = new Set<string>();
  for (const table of TABLES) {
    const names = columns.filter((column) => column.table === table).map(({ name }) => name);
    if (names.length === 0) continue;
    for (const row of await t.app.db(table).select(names))
      for (const [name, value] of Object.entries(row as Record<string, unknown>))
        if (String(value).toLowerCase().includes(WORD)) hits.add(label({ table, name }));
  }
  return [...hits].sort();
}

/** The rows of the person, by table; a row of a new table that names an affiliate or customer is one too. */
async function plant(
  t: TestApp,
  columns: readonly Column[],
  ids: { affiliate: number; customer: number; visits: readonly number[] },
): Promise<void> {
  const present = new Set(await found(t, columns));
  const json = new Set([
    'settings',
    'custom_fields',
    'data',
    'previous',
    'payload',
    'answer',
    'before',
    'after',
  ]);
  for (const column of columns) {
    if (!['erased', 'expires'].includes(fateOf(column)) || present.has(label(column))) continue;
    const { table, name, length } = column;
    const value = json.has(name) ? JSON.stringify({ text: WORD }) : WORD.slice(0, length ?? WORD.length);
    const all = new Set(Object.keys(await t.app.db.knex(t.app.db.name(table)).columnInfo()));
    const rows = t.app.db(table);
    if (table === 'affiliates') void rows.where({ id: ids.affiliate });
    else if (table === 'customers') void rows.where({ id: ids.customer });
    else if (table === 'visits') void rows.whereIn('id', ids.visits);
    else if (all.has('affiliate_id')) void rows.where({ affiliate_id: ids.affiliate });
    else if (all.has('customer_id')) void rows.where({ customer_id: ids.customer });
    else continue;
    await rows.update({ [name]: value });
  }
}

interface Program extends TestApp {
  readonly affiliate: number;
  readonly customer: number;
  readonly crm: Receiver;
  readonly endpoint: number;
}

async function deliver(t: TestApp): Promise<void> {
  await t.service.webhooks.lineUp();
  await t.service.webhooks.deliverDue();
}

/** A program in which the word stands wherever the front door lets an affiliate, a buyer or the team write it. */
async function lived(): Promise<Program> {
  const t = await startApp({ events: { allowPrivateNetworks: true }, rate: 10 });
  const crm = await startReceiver();
  open.push(crm);
  const echo = (res: { end(text: string): void }): void => res.end(`got ${crm.received.at(-1)?.text ?? ''}`);
  crm.answers.push(...Array.from({ length: 40 }, () => echo));
  const { body: hook } = await t.admin
    .post('/settings/webhooks')
    .send({ url: crm.url, events: ['*', 'visit.created'], payment_details: true, confirm: true })
    .expect(200);
  t.host.addUser({
    id: 20,
    login: WORD,
    email: `${WORD}@mail.test`,
    display_name: `${WORD} Doe`,
    first_name: WORD,
    last_name: WORD,
  });
  const { body } = await t.admin
    .post('/affiliates')
    .set('Idempotency-Key', 'make-affiliate')
    .send({
      user_id: 20,
      status: 'active',
      rate_type: 'default',
      payment_email: `${WORD}-first@pay.test`,
      custom_param: `${WORD}-link`,
      note: `${WORD} met in Rome`,
    })
    .expect(200);
  const affiliate = body.affiliate.id as number;
  await t.admin
    .patch(`/affiliates/${affiliate}`)
    .send({ payment_email: `${WORD}-next@pay.test` })
    .expect(200);
  await t.admin
    .patch(`/affiliates/${affiliate}`)
    .send({ custom_param: `${WORD}-other` })
    .expect(200);
  await t.app.affiliates.changes.saveProfile(affiliate, {
    bank_details: `IBAN ${WORD}`,
    custom_fields: { phone: `+1 ${WORD}` },
  });
  await t.admin
    .patch(`/affiliates/${affiliate}/status`)
    .send({ status: 'inactive', reason: `${WORD} asked for it` });
  await t.admin.patch(`/affiliates/${affiliate}/status`).send({ status: 'active' });
  await t.admin
    .post('/settings/links')
    .send({ affiliate_id: affiliate, slug: `${WORD}-go`, url: `https://shop.test/${WORD}` });
  const visit = await t.records.visit({
    affiliate_id: affiliate,
    url: `https://shop.test/?ref=${WORD}-link`,
    referrer: `https://${WORD}.test/`,
    ip: '203.0.113.0',
    visitor_key: 'someone',
  });
  const { referral } = await t.service.conversions.record(null, {
    provider: 'shop',
    reference: '1',
    status: 'unpaid',
    affiliate,
    visit_id: visit.id,
    order: { subtotal: '100.00' },
    customer: {
      email: `${WORD}-buyer@mail.test`,
      first_name: WORD,
      last_name: `${WORD}son`,
      ip: '203.0.113.9',
    },
  });
  await t
    .as(20)
    .post(`/portal/earnings/${referral!.id}/note`)
    .send({ note: `${WORD} video` })
    .expect(200);
  const customer = referral?.customer_id ?? 0;
  // the other address counts once the order is paid
  const buyer = { user_id: 77, email: `${WORD}-buyer@mail.test` };
  for (const [reference, status] of [
    ['2', 'unpaid'],
    ['3', 'pending'],
  ] as const)
    await t.service.conversions.record(null, {
      provider: 'shop',
      reference,
      status,
      affiliate,
      order: { subtotal: '10.00' },
      customer: status === 'unpaid' ? buyer : { ...buyer, email: `${WORD}-other@mail.test` },
    });
  await t.admin.delete(`/affiliates/${affiliate}/customers/${customer}`);
  await t.app.db('import_rows').insert({
    source: 'csv',
    stage: 'affiliates',
    source_id: '7',
    outcome: 'left_out',
    reason: 'affiliate_exists',
    affiliate: `${WORD}-next@pay.test`,
    detail: `${WORD}-next@pay.test`,
    created_at: t.clock.time,
  });
  await t.app.db('provider_deliveries').insert({
    provider: 'shop',
    delivery_key: 'w1',
    status: 'failed',
    event: JSON.stringify({ type: 'order', order: { customer: { email: `${WORD}-buyer@mail.test` } } }),
    received_at: t.clock.time,
    updated_at: t.clock.time,
  });
  await t.app.db('payment_details').insert({
    affiliate_id: affiliate,
    method: 'paypal',
    sealed: 'sealed text',
    label: `${WORD}@pay.test`,
    state: 'check',
    reason: `${WORD} has no account`,
    created_at: t.clock.time,
    updated_at: t.clock.time,
  });
  await t.records.referral({ affiliate_id: affiliate, amount: '5.00' });
  await t.records.payout();
  await t.app.db('payout_attempts').insert({
    batch_id: 1,
    payout_id: 1,
    transaction_id: 1,
    affiliate_id: affiliate,
    try: 1,
    method: 'paypal',
    attempt_key: 'P1-T1-1',
    state: 'failed',
    amount_minor: 100,
    sent_minor: 100,
    currency: 'USD',
    fee_by: 'program',
    message: `${WORD} has no account`,
    details_mark: '',
    created_at: t.clock.time,
    updated_at: t.clock.time,
  });
  await deliver(t);
  // entries of an earlier version, and events that wait
  await t.app.db('audit').insert({
    action: 'affiliate.updated',
    object_type: 'affiliate',
    object_id: String(affiliate),
    before: JSON.stringify({ payment_email: `${WORD}@old.test`, custom_param: `${WORD}-oldest` }),
    after: JSON.stringify({ payment_email: `${WORD}-first@pay.test` }),
    created_at: t.clock.time,
  });
  await t.admin
    .patch(`/affiliates/${affiliate}`)
    .send({ note: `${WORD} again` })
    .expect(200);
  await t.admin
    .post('/invitations')
    .send({ emails: [`${WORD}@invited.test`], note: WORD })
    .expect(200);
  await t.app.db('invitations').update({ affiliate_id: affiliate, status: 'accepted' });
  return { ...t, affiliate, customer, crm, endpoint: hook.webhook.id };
}

async function retire(t: TestApp): Promise<void> {
  t.clock.advance(4000 * DAY);
  const { app } = t;
  await app.tracking.purge();
  await app.customers.purge();
  await app.webhooks.purge();
  await app.outbox.purge();
  await app.audit.purge();
  await app.conversions.purge();
  await app.fraud.purge();
  await app.commerce.inbox.purge();
}

describe('a word in the data of an affiliate and a buyer', () => {
  it('has a known fate in every text column of the schema', async () => {
    const t = await startApp();
    const columns = (await textColumns(t)).map(label);
    const named = TABLES.flatMap((table) =>
      Object.values(PLACES[table]).flatMap((names) => names.map((name) => label({ table, name }))),
    );
    expect(named.filter((name) => !columns.includes(name))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
    expect(columns.length).toBeGreaterThan(200);
  });

  it.each(['the host deletes the account', 'an administrator deletes the affiliate'] as const)(
    'is nowhere after %s and the buyer is forgotten, and in no delivery',
    async (way) => {
      const t = await lived();
      const columns = (await textColumns(t)).filter((column) => fateOf(column) !== 'sealed');
      const visits = (await t.app.db('visits').pluck('id')).map(Number);
      await plant(t, columns, { ...t, visits });
      const before = await found(t, columns);
      // the planting reaches all places the list names
      const places = columns.filter((column) => fateOf(column) === 'erased').map(label);
      const unreached = places.filter((place) => !before.includes(place));
      expect(unreached).toEqual([]);
      expect(t.crm.received.filter(({ text }) => text.includes(WORD)).length).toBeGreaterThan(5);

      t.host.removeUser(20);
      if (way === 'the host deletes the account') await t.service.users.deleted(20);
      else await t.admin.delete(`/affiliates/${t.affiliate}`).expect(200);
      expect(await t.service.customers.forget(t.customer)).toBe(true);

      const left = await found(t, columns);
      const expiring = columns.filter((column) => fateOf(column) === 'expires').map(label);
      expect(left.filter((name) => !expiring.includes(name))).toEqual([]);
      const sent = t.crm.received.length;
      await deliver(t);
      await t.service.webhooks.replay(t.endpoint, 0);
      await t.service.webhooks.deliverDue();
      const later = t.crm.received.slice(sent);
      expect(later.length).toBeGreaterThan(5);
      expect(later.filter(({ text }) => text.toLowerCase().includes(WORD))).toEqual([]);
      for (const path of ['/events', '/audit?per_page=100', '/system/outbox?per_page=100']) {
        const { text } = await t.admin.get(path).expect(200);
        expect(text.toLowerCase()).not.toContain(WORD);
      }

      await retire(t);
      expect(await found(t, columns)).toEqual([]);
    },
  );
});
