import { describe, expect, it } from '@jest/globals';
import type { Response } from 'superagent';
import { nachaFile, sepaFile, storeCredit, type WalletCredit } from '../../adapters/index.js';
import type { PayoutMethod } from '../../src/accounting/payouts/types.js';
import { MINUTE } from '../../src/core/duration.js';
import { startApp, type TestApp } from '../support/app.js';
import { affiliate, earn, FORM } from '../support/payouts.js';
import { storedText } from '../support/rows.js';

const IBANS = ['NL91ABNA0417164300', 'FR1420041010050500013M02606', 'BE68539007547034'];

async function made(
  method: PayoutMethod,
  currency: string,
  details: ((user: number, at: number) => object) | null = null,
): Promise<{ t: TestApp; payoutId: number; ids: number[] }> {
  const t = await startApp({ payouts: { methods: [method] }, currency });
  await t.admin
    .post('/settings/payers/sending')
    .send({ offered: [method.key] })
    .expect(200);
  for (const [at, user] of [2, 3, 4].entries()) {
    const { id } = await affiliate(t, user);
    await earn(t, id, 1000 * (at + 1), { currency });
    if (details)
      await t
        .as(user)
        .post(`/portal/payout-methods/${method.key}`)
        .send({ details: details(user, at) })
        .expect(200);
  }
  const payout = await t.records.payout({ ...FORM, payout_method: method.key });
  await t.admin
    .post(`/payouts/${payout.id}/send`)
    .send({ method: method.key, count: 3, amount: 60 })
    .expect(200);
  const { body } = await t.admin.get(
    `/payouts/${payout.id}/transactions?order_by=affiliate_id&order_type=ASC`,
  );
  return { t, payoutId: payout.id, ids: body.transactions.data.map(({ id }: { id: number }) => id) };
}

const withIban = (user: number, at: number): object => ({ name: `User ${user}`, iban: IBANS[at]! });
const withAccount = (user: number): object => ({
  name: `User ${user}`,
  routing: '121042882',
  account: `1234${user}`,
  type: 'checking',
});

const statuses = async (t: TestApp, payoutId: number): Promise<string[]> =>
  (
    await t.admin.get(`/payouts/${payoutId}/transactions?order_by=affiliate_id&order_type=ASC`)
  ).body.transactions.data.map((row: { status: string }) => row.status);

describe('a bank file', () => {
  const sepa = (): PayoutMethod => sepaFile({ name: 'Fernway', iban: 'DE89370400440532013000' });

  it('is made of the details that affiliates entered, and marked by the answer of the bank', async () => {
    const { t, payoutId } = await made(sepa(), 'EUR', withIban);
    const [batch] = (await t.admin.get(`/payouts/${payoutId}/sending`).expect(200)).body.batches;
    expect(batch).toMatchObject({ makes_file: true, reads_answer: true });
    const file = await t.admin
      .get(`/payouts/${payoutId}/batches/${batch.id}/file`)
      .buffer(true)
      .parse(text)
      .expect(200);
    expect(file.body).toContain('<IBAN>NL91ABNA0417164300</IBAN>');
    const keys = [...String(file.body).matchAll(/<EndToEndId>([^<]+)/g)].map(([, key]) => key);

    const answer =
      `<Document><CstmrPmtStsRpt><GrpHdr><CreDtTm>2026-01-16T09:00:00</CreDtTm></GrpHdr><OrgnlGrpInfAndSts>` +
      `<OrgnlMsgId>${batch.key}</OrgnlMsgId><GrpSts>ACSC</GrpSts></OrgnlGrpInfAndSts><OrgnlPmtInfAndSts><TxInfAndSts>` +
      `<OrgnlEndToEndId>${keys[1]}</OrgnlEndToEndId><TxSts>RJCT</TxSts><StsRsnInf><Rsn><Cd>AC04</Cd></Rsn></StsRsnInf>` +
      `</TxInfAndSts></OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`;
    const read = () =>
      t.admin
        .post(`/payouts/${payoutId}/bank-answer?method=sepa`)
        .set('Content-Type', 'application/xml')
        .send(answer);
    expect((await read().expect(200)).body).toMatchObject({ read_count: 3, open_count: 0 });
    await read().expect(200);
    expect(await statuses(t, payoutId)).toEqual(['paid', 'paid']);
    const paid = (await t.as(2).get('/portal/payments').expect(200)).body.payments.data[0];
    expect((await t.as(2).get(`/portal/payments/${paid.id}`).expect(200)).body).toMatchObject({
      payee: { details: '•••• 4300' },
      sent: { method: 'sepa', amount: 10, fee: null },
    });
    const [own] = (await t.as(3).get('/portal/payout-methods').expect(200)).body.methods;
    expect(own).toMatchObject({
      key: 'sepa',
      state: 'check',
      reason: 'The account is closed.',
      shown: '•••• 2606',
    });
  });

  it('has its returns read from the file of the bank, before and after it was marked as paid', async () => {
    const nacha = nachaFile({
      routing: '091000019',
      bankName: 'First Bank',
      companyId: '1123456789',
      companyName: 'Fernway',
    });
    const { t, payoutId, ids } = await made(nacha, 'USD', withAccount);
    const [batch] = (await t.admin.get(`/payouts/${payoutId}/sending`)).body.batches;
    const sent = await t.admin.get(`/payouts/${payoutId}/batches/${batch.id}/file`).buffer(true).parse(text);
    const entries = String(sent.body)
      .split('\r\n')
      .filter((line) => line.startsWith('6'));
    expect(entries[0]!.slice(39, 54)).toMatch(new RegExp(`^T${ids[0]}-1-[0-9a-f]+ *$`));
    const back = (entry: string, code: string): string =>
      [entry.replace(/^622/, '621'), `799${code}091000010000001      09100001${' '.repeat(51)}`].join('\n');
    const read = (...returned: string[]) =>
      t.admin
        .post(`/payouts/${payoutId}/bank-answer?method=nacha`)
        .set('Content-Type', 'text/plain')
        .send(
          [
            String(sent.body)
              .split('\r\n')[0]!
              .replace(/^(.{23}).{10}/, '$12601200930'),
            ...returned,
          ].join('\n'),
        );

    expect((await read(back(entries[1]!, 'R02')).expect(200)).body).toMatchObject({
      read_count: 1,
      open_count: 0,
    });
    await t.admin
      .post(`/payouts/${payoutId}/batches/${batch.id}/settle`)
      .send({ as: 'paid', note: 'on the statement' })
      .expect(200);
    expect(await statuses(t, payoutId)).toEqual(['paid', 'paid']);
    const stranger = entries[0]!.replace(/T\d+-1-[0-9a-f]+/, (ref) => 'T99-9'.padEnd(ref.length));
    const again = await read(back(entries[2]!, 'R03'), back(entries[1]!, 'R02'), back(stranger, 'R02'));
    expect(again.body).toMatchObject({ read_count: 2, open_count: 1 });
    expect(await statuses(t, payoutId)).toEqual(['paid']);
    const reasons = await Promise.all(
      [3, 4].map(async (user) => (await t.as(user).get('/portal/payout-methods')).body.methods[0].reason),
    );
    expect(reasons).toEqual(['The account is closed.', 'The bank found no such account.']);
    expect((await t.admin.get('/payouts/payments/to-do')).body.findings).toEqual([]);
    await read(back(stranger, 'R02')).expect(404);
    expect((await read('not a return').expect(422)).body.code).toBe('bank_answer_unreadable');
  });

  it('can be settled by a person where the bank sends no answer', async () => {
    const { t, payoutId } = await made(sepa(), 'EUR', withIban);
    t.clock.advance(MINUTE);
    const [batch] = (await t.admin.get(`/payouts/${payoutId}/sending`)).body.batches;
    await t.admin
      .post(`/payouts/${payoutId}/batches/${batch.id}/settle`)
      .send({ as: 'paid', note: 'on the statement' })
      .expect(200);
    expect(await statuses(t, payoutId)).toEqual(['paid', 'paid', 'paid']);
    await t.admin
      .post(`/payouts/${payoutId}/batches/${batch.id}/settle`)
      .send({ as: 'paid', note: 'again' })
      .expect(409);
  });

  it('takes only details that can be, and shows the last four characters of them', async () => {
    const t = await startApp({ payouts: { methods: [sepa()] } });
    await affiliate(t, 2);
    await t.as(2).post('/portal/payout-methods/sepa').send({ details: {} }).expect(404);
    await t.admin
      .post('/settings/payers/sending')
      .send({ offered: ['sepa', 'paypal'] })
      .expect(200);
    const save = (iban: string) =>
      t
        .as(2)
        .post('/portal/payout-methods/sepa')
        .send({ details: { name: 'Alice', iban } });

    expect((await save('').expect(422)).body.errors).toHaveProperty('iban');
    expect((await save('DE00').expect(422)).body).toMatchObject({
      code: 'payment_details_refused',
      message: 'This IBAN is not valid. Check each digit.',
    });
    await t.as(2).post('/portal/payout-methods').send({ method: 'sepa' }).expect(422);
    await save('NL91 ABNA 0417 1643 00').expect(200);
    const { methods } = (await t.as(2).post('/portal/payout-methods').send({ method: 'sepa' }).expect(200))
      .body;
    expect(
      methods.map(({ key, chosen, complete }: { key: string; chosen: boolean; complete: boolean }) => [
        key,
        chosen,
        complete,
      ]),
    ).toEqual([
      ['sepa', true, true],
      ['paypal', false, true],
    ]);
    const stored = await storedText(t, 'payment_details', 'audit');
    expect(stored + JSON.stringify(t.log)).not.toMatch(/0417 ?1643/);
    await t.as(3).get('/portal/payout-methods').expect(404);
  });
});

describe('store credit', () => {
  it('credits the wallet of each user once, with the bonus', async () => {
    const credits: WalletCredit[] = [];
    let down = true;
    const method = storeCredit({
      bonusPercent: 10,
      wallet: {
        credit: (credit) => {
          if (credit.user === 3 && down) return Promise.reject(new Error('down'));
          if (credit.user === 4)
            return Promise.reject(Object.assign(new Error('no'), { code: 'wallet_closed' }));
          if (!credits.some(({ key }) => key === credit.key)) credits.push(credit);
          return Promise.resolve({ reference: `w-${credit.user}` });
        },
      },
    });
    const { t, payoutId } = await made(method, 'USD');
    await t.app.payers.calls.run();
    expect(await statuses(t, payoutId)).toEqual(['paid', 'processing']);
    down = false;
    t.clock.advance(60 * MINUTE);
    await t.app.payers.calls.run();
    expect(await statuses(t, payoutId)).toEqual(['paid', 'paid']);
    expect(credits.map(({ user, amount }) => [user, amount])).toEqual([
      [2, '11.00'],
      [3, '22.00'],
    ]);
  });
});

const text = (res: Response, done: (error: Error | null, body: string) => void): void => {
  let all = '';
  const stream = res as unknown as NodeJS.ReadableStream;
  stream.on('data', (part: Buffer) => {
    all += part.toString();
  });
  stream.on('end', () => done(null, all));
};
