import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startApp } from '../support/app.js';
import { launchChromium } from './chromium.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
});

/** The width of the page, and the amounts that stand in more than one line. */
const MEASURE = `(() => {
  const lines = (cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  };
  const amounts = [...document.querySelectorAll('td')].filter((cell) =>
    /^\\S*\\$ ?[\\d.,]+\\S*$/.test(cell.innerText.trim()),
  );
  return {
    width: document.documentElement.scrollWidth,
    broken: amounts.filter((cell) => lines(cell) > 1).map((cell) => cell.innerText),
  };
})()`;

it.each(['en', 'de', 'ar'])(
  'every mail fits into 320 px and keeps amounts in one line: %s',
  async (language) => {
    const t = await startApp({ rate: 10 });
    const site = { ...t.host.site(), language };
    Object.assign(t.host, { site: () => site });
    const { id } = await t.records.affiliate({
      payment_email: 'a.long.address.of.a.person.with.many.names@some-long-domain-name.example',
      note: 'A blog about plants. '.repeat(9),
    });
    await t.service.conversions.record(null, {
      provider: 'shop',
      reference: 'ORDER-2026-00001234567890-ABCDEFGHIJKLMNOP',
      status: 'unpaid',
      order: { subtotal: '1234567.89' },
      description: 'Lampe für die Kajüte des Donaudampfschifffahrtsgesellschaftskapitäns',
      affiliate: id,
    });
    const payout = await t.records.payout();
    await t.admin.patch(`/payouts/${payout.id}/transactions/1`).send({ status: 'paid' }).expect(200);

    const page = await browser.newPage({ viewport: { width: 320, height: 640 } });
    const { emails } = (await t.admin.get('/settings/email-config/emails').expect(200)).body;
    for (const { email_key: key } of emails as { email_key: string }[]) {
      const asked = t.admin.post('/settings/email-config/preview').send({ email_key: key, data: {} });
      await page.setContent((await asked.expect(200)).body.html);
      const seen = await page.evaluate(MEASURE);
      expect([key, seen]).toEqual([key, { width: 320, broken: [] }]);
    }
    await page.close();
  },
);
