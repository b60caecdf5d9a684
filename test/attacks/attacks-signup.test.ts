import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';

// A stranger who has mails sent from the shop's domain.

const FORM = {
  full_name: 'Eve Stranger',
  email: 'victim@else.test',
  username: 'stranger',
  password: 'secret77',
  conf_password: 'secret77',
  note: 'By mail',
  url: '',
  terms_condition: 'yes',
  payment_email: 'victim@else.test',
};
const register = (t: TestApp, more: object = {}): ReturnType<TestApp['anonymous']['post']> =>
  t.anonymous.post('/registration').send({ ...FORM, ...more });

describe('a mail to a mailbox that nobody has proven', () => {
  it('contains nothing that the sender of a sign-up has written', async () => {
    const t = await startApp();
    await register(t, { full_name: 'You won, claim at evil.test' }).expect(200);
    const [mail] = t.host.mailbox;
    expect(mail).toMatchObject({ to: 'victim@else.test' });
    expect(JSON.stringify(mail)).not.toMatch(/evil|won|stranger/i);
  });

  it('contains no name in the copy for a former payment address', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate({ user_id: 2, payment_email: 'victim@else.test' });
    await t.app.emails.deliverDue();
    t.host.mailbox.length = 0;
    await t.admin.patch(`/affiliates/${id}`).send({ payment_email: 'mine@else.test' }).expect(200);
    await t.app.emails.deliverDue();
    const copies = new Map(t.host.mailbox.map((mail) => [mail.to, JSON.stringify(mail)]));
    expect(copies.get('alice@shop.test')).toContain('Alice Doe');
    expect(copies.get('victim@else.test')).toContain('payment details');
    expect(copies.get('victim@else.test')).not.toContain('Alice');
  });

  it.each([
    'Claim at https://evil.test/x now',
    'see WWW.evil.test',
    'Eve\nYou won',
    'Eve\u0007',
    'Eve\u0000',
    'Eve\u202Etset.live',
    'Eve\u2028You won',
  ])('is not sent for the name %j', async (full_name) => {
    const t = await startApp();
    const { body } = await register(t, { full_name }).expect(422);
    expect(body.errors).toHaveProperty('full_name.format');
    expect(t.host.mailbox).toEqual([]);
  });

  it('is sent five times an hour and ten times a day, in every spelling and from every network', async () => {
    const t = await startApp({ tracking: { trustProxy: ['127.0.0.0/8', '::1', '::ffff:127.0.0.1'] } });
    let from = 0;
    const spellings = ['victim@else.test', 'victim+1@else.test', 'VICTIM@else.test', '"victim"@else.test'];
    const tried = async (): Promise<number> => {
      from += 1;
      const email = spellings[from % 3]!;
      const answer = await register(t, { email }).set('X-Forwarded-For', `203.0.113.${from}`);
      return answer.status;
    };
    const sentIn = async (tries: number): Promise<number> => {
      let sent = 0;
      for (let n = 0; n < tries; n++) {
        if ((await tried()) === 200) sent += 1;
        t.clock.advance(301_000); // past the limit of five minutes
      }
      return sent;
    };
    t.clock.time = Date.UTC(2026, 0, 20);
    expect(await sentIn(11)).toBe(5);
    t.clock.time = Date.UTC(2026, 0, 20, 1);
    expect(await sentIn(11)).toBe(5);
    t.clock.time = Date.UTC(2026, 0, 20, 2);
    expect(await sentIn(11)).toBe(0);
    t.clock.time = Date.UTC(2026, 0, 21);
    expect(await tried()).toBe(200);
  });
});
