import { describe, expect, it } from '@jest/globals';
import { templatesIn } from '../../src/channels/emails/templates.js';
import { reasonIn } from '../../src/core/mail-reason-texts.js';
import { SKIP_REASONS } from '../../src/attribution/conversions/types.js';
import { TRANSLATED } from '../../src/core/mail-texts.js';
import { startApp, type TestApp } from '../support/app.js';

const LANGUAGES = ['de-DE', 'es', 'fr', 'ar'] as const;

async function paid(language: string): Promise<TestApp> {
  const t = await startApp();
  const site = t.host.site();
  Object.assign(t.host, { site: () => ({ ...site, language }) });
  const alice = await t.records.affiliate({ payment_email: 'mine@bank.test' });
  await t.service.conversions.record(null, {
    provider: 'shop',
    reference: 'N<b>7',
    status: 'unpaid',
    order: { subtotal: '100.00' },
    description: 'A "mug" <b>',
    affiliate: alice.id,
  });
  const payout = await t.records.payout();
  await t.admin.patch(`/payouts/${payout.id}/transactions/1`).send({ status: 'paid' }).expect(200);
  await t.admin.patch(`/affiliates/${alice.id}`).send({ payment_email: 'new@bank.test' }).expect(200);
  t.clock.advance(600_000);
  await t.service.emails.deliverDue();
  return t;
}

describe('mails', () => {
  it.each(LANGUAGES)('have every text in %s', (language) => {
    const used: string[] = [];
    templatesIn((english) => {
      used.push(english);
      return english;
    });
    const texts = TRANSLATED[language.slice(0, 2)]!;
    expect(used.filter((english) => texts[english] === undefined)).toEqual([]);
    const codes = (text: string): string[] => (text.match(/\{+[\w.]+\}+/gu) ?? []).toSorted();
    for (const [english, text] of Object.entries(texts))
      expect([text, codes(text)]).toEqual([text, codes(english)]);
    expect(Object.keys(texts)).toEqual(Object.keys(TRANSLATED['de']!));
  });

  it.each([
    ['en', 'Your payout from Shop', '15 Jan 2026', 'You earned a commission at Shop'],
    ['de-DE', 'Ihre Auszahlung von Shop', '15.01.2026', 'Sie haben bei Shop eine Provision verdient'],
    ['es', 'Su pago de Shop', '15 ene 2026', 'Ganó una comisión en Shop'],
    ['fr', 'Votre paiement de Shop', '15 janv. 2026', 'Vous avez gagné une commission chez Shop'],
    ['ar', 'دفعتك من Shop', '', 'كسبت عمولة في Shop'],
  ])('are written in the language of the site: %s', async (language, payout, day, sale) => {
    const t = await paid(language);
    const mails = t.host.mailbox.filter(({ to }) => to === 'alice@shop.test');
    const about = (subject: string) => mails.find((mail) => mail.subject === subject)!;
    expect(about(payout).text).toContain('mine@bank.test');
    expect(about(payout).text).toContain(day);
    expect(about(payout).text).toMatch(/: … – .*2026[^]*P1-T1/u);
    expect(about(sale).headers?.['List-Unsubscribe']).toMatch(/^<https:.*settings>$/u);
    expect(about(payout).html).toContain(`<html lang="${language}"${language === 'ar' ? ' dir="rtl"' : ''}>`);
    // what was bought is shown as it is called, and no row is empty
    expect(about(sale).html).toContain('A &quot;mug&quot; &lt;b&gt;');
    expect(about(sale).html).toContain('N&lt;b&gt;7');
    expect(about(sale).text).toContain('A "mug" <b>');
    expect(about(sale).html).not.toMatch(/<td[^>]*>\s*<\/td>/u);
    expect(mails.length).toBeGreaterThan(2);
    if (language !== 'en')
      for (const { html } of mails) expect(html).not.toMatch(/Hello|affiliate program|Payment/u);
  });

  it('name every reason why an order earned nothing', () => {
    for (const language of ['en', ...LANGUAGES])
      for (const reason of SKIP_REASONS) expect(reasonIn(language, reason)).not.toBe(reason);
    expect(reasonIn('de', 'self_referral')).toBe('Der Käufer ist der Affiliate');
    expect(reasonIn('de', 'of_an_extension')).toBe('of_an_extension');
  });

  it('keep amounts and names together in a language from right to left', async () => {
    const t = await paid('ar');
    const mail = t.host.mailbox.find(({ subject }) => subject === 'كسبت عمولة في Shop')!;
    expect(mail.text).toMatch(/\u2066\$ \d+\.00\u2069/u);
    await t.admin
      .post('/settings/api-keys')
      .send({ name: 'CRM', rights: ['read_settings'] })
      .expect(200);
    await t.service.emails.deliverDue();
    expect(t.host.mailbox.at(-1)?.text).toContain('\u2068CRM\u2069');
    const english = await paid('en');
    expect(english.host.mailbox.map(({ text }) => text).join('')).not.toMatch(/[\u2066-\u2069]/u);
  });

  it.each(LANGUAGES)('have no English where there is no template: %s', async (language) => {
    const t = await startApp({ registration: { verifyEmail: true } });
    const site = t.host.site();
    Object.assign(t.host, { site: () => ({ ...site, language }) });
    await t.admin
      .post('/settings/api-keys')
      .send({ name: 'CRM', rights: ['read_settings'] })
      .expect(200);
    const { id } = await t.records.affiliate();
    await t.records.referral({ affiliate_id: id, amount: 20 });
    const message = { subject: 'News', body: '<p>News.</p>', audience: {} };
    await t.admin.post('/messages').send(message).expect(200);
    await t.service.jobs.runDue();
    t.clock.advance(86_400_000);
    await t.app.emails.queueDigest();
    await t.service.emails.deliverDue();
    const texts = t.host.mailbox.map(({ subject, html }) => `${subject} ${html}`);
    const key = texts.find((text) => text.includes('CRM'));
    const digest = texts.find((text) => /\bTable\b|<table/u.test(text) && !text.includes('CRM'));
    expect(texts.filter((text) => text.includes('News.'))).toHaveLength(1);
    expect([key, digest].filter((text) => text === undefined)).toEqual([]);
    for (const text of texts)
      expect(text).not.toMatch(
        /Hello|affiliate program|API key|Affiliate program|What happened|Commissions ready|No more messages/u,
      );
  });
});
