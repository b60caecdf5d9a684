import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';

const DAY = 86_400_000;
const percent = (key: string, value: number, more: object = {}): object => ({
  key: key.toLowerCase(),
  title: key,
  event: 'sale',
  reward: { kind: 'percent', value },
  ...more,
});

async function activate(t: TestApp, rules: readonly object[], more: object = {}): Promise<number> {
  const { id } = (await t.admin.post('/reward-rules').send({ rules }).expect(200)).body.reward_rules;
  await t.admin
    .post(`/reward-rules/${id}/activate`)
    .send({ without_simulation: true, ...more })
    .expect(200);
  return id;
}

async function mailsAfter(
  t: TestApp,
  act: () => Promise<unknown>,
): Promise<{ to: string; subject: string; text: string }[]> {
  await t.service.emails.deliverDue();
  const before = t.host.mailbox.length;
  await act();
  // mails are queued in steps, which go on by themselves
  for (let left = 1; left > 0;) left = (await t.admin.get('/system/state').expect(200)).body.works.length;
  t.clock.advance(60_000);
  await t.service.emails.deliverDue();
  return t.host.mailbox
    .slice(before)
    .map(({ to, subject, text }) => ({ to, subject, text: text ?? '' }))
    .toSorted((a, b) => a.to.localeCompare(b.to));
}

const in_ = (t: TestApp, language: string): void => {
  const site = t.host.site();
  Object.assign(t.host, { site: () => ({ ...site, language }) });
};

describe('mails about rates', () => {
  it('notify affiliates whose rules change, once, what begins, what ends and from when', async () => {
    const t = await startApp();
    const group = await t.records.group();
    await t.records.affiliate({ group_id: group.id });
    await t.records.affiliate({ user_id: 3 });
    await t.records.affiliate({ user_id: 4, status: 'inactive' });
    const gold = percent('Gold', 15, { scope: 'group', scope_ids: [group.id] });
    const first = await mailsAfter(t, () => activate(t, [gold]));
    expect(first).toMatchObject([{ to: 'alice@shop.test', subject: 'Your rates at Shop change' }]);
    expect(first[0]?.text).toContain('Gold: Sale: 15%');
    expect(first[0]?.text).toContain('15 Jan 2026');

    const second = await mailsAfter(t, () =>
      activate(t, [gold, percent('All', 5)], { effective_from: t.clock.now() + 3 * DAY }),
    );
    expect(second.map(({ to }) => to)).toEqual(['alice@shop.test', 'bob@shop.test']);
    expect(second[0]?.text).toContain('All: Sale: 5%');
    expect(second[0]?.text).toContain('18 Jan 2026');
    expect(second[0]?.text).not.toContain('Gold');

    t.clock.advance(4 * DAY);
    const third = await mailsAfter(t, () => activate(t, [percent('All', 5, { priority: 9 })]));
    expect(third.map(({ to }) => to)).toEqual(['alice@shop.test']);
    expect(third[0]?.text).toMatch(/No longer:\s+.*Gold: Sale: 15%/u);
    expect(await mailsAfter(t, () => t.service.jobs.runDue())).toEqual([]);
  });

  it('can be switched off, and are skipped when other rules replace these before they count', async () => {
    const t = await startApp();
    await t.records.affiliate();
    const soon = { effective_from: t.clock.now() + DAY };
    const mails = await mailsAfter(t, async () => {
      await activate(t, [percent('Never', 5)], soon);
      await activate(t, [percent('Now', 6)]);
    });
    expect(mails.map(({ text }) => /Never|Now/u.exec(text)?.[0])).toEqual(['Now']);
    await t.admin
      .patch('/settings/email-config/emails')
      .send({ email_key: 'rates_changed_to_affiliate', data: { active: 'no' } })
      .expect(200);
    expect(await mailsAfter(t, () => activate(t, [percent('Silent', 7)]))).toEqual([]);
  });

  it('say when the rules end, and which rate applies then', async () => {
    const t = await startApp();
    const group = await t.records.group();
    await t.records.affiliate({ group_id: group.id });
    await t.records.affiliate({ user_id: 3 });
    let id = 0;
    const gold = percent('Gold', 15, { scope: 'group', scope_ids: [group.id] });
    await mailsAfter(t, async () => {
      id = await activate(t, [gold, percent('Large', 5, { event: 'renewal' })]);
    });
    t.clock.advance(DAY);
    const mails = await mailsAfter(t, () => t.admin.post(`/reward-rules/${id}/retire`).expect(200));
    expect(mails.map(({ to }) => to)).toEqual(['alice@shop.test', 'bob@shop.test']);
    expect(mails[0]?.text).toMatch(/New:\s+.*Rate of the group: 25%\s+No longer:\s+.*Gold: Sale: 15%/u);
    expect(mails[1]?.text).toMatch(/New:\s+.*Rate of the program: 20%/u);
    expect(mails[1]?.text).not.toContain('Gold');
    expect(mails[0]?.text).toContain('16 Jan 2026');
  });

  it('do not announce the end of rules that were never announced, or that others replaced meanwhile', async () => {
    const t = await startApp();
    await t.records.affiliate();
    const mails = await mailsAfter(t, async () => {
      const id = await activate(t, [percent('Short', 5)]);
      await t.admin.post(`/reward-rules/${id}/retire`).expect(200);
      await activate(t, [percent('Next', 6)]);
    });
    expect(mails.map(({ text }) => /Short|Next/u.exec(text)?.[0])).toEqual(['Next']);
  });

  it('leave alone whom another group, affiliate or short link of the same rule concerns', async () => {
    const t = await startApp();
    const [one, two] = [await t.records.group(), await t.records.group({ meta_key: 'Two' })];
    const { id } = await t.records.affiliate({ group_id: one.id });
    await t.records.affiliate({ user_id: 3, group_id: two.id });
    const { link } = (
      await t.admin.post('/settings/links').send({ affiliate_id: id, slug: 'deal' }).expect(200)
    ).body;
    const gold = (ids: number[]) => percent('Gold', 15, { scope: 'group', scope_ids: ids });
    await mailsAfter(t, () => activate(t, [gold([one.id])]));
    const wider = await mailsAfter(t, () => activate(t, [gold([one.id, two.id])]));
    expect(wider.map(({ to }) => to)).toEqual(['bob@shop.test']);
    const deal = percent('Deal', 30, { scope: 'link', scope_ids: [link.id] });
    const linked = await mailsAfter(t, () => activate(t, [gold([one.id, two.id]), deal]));
    expect(linked.map(({ to }) => to)).toEqual(['alice@shop.test']);
    expect(linked[0]?.text).toContain('Deal: Sale: 30% through the short link /go/deal');
  });

  it('have a preview with the newest rules, a draft, or an example', async () => {
    const t = await startApp();
    const preview = async (): Promise<string> =>
      (
        await t.admin
          .post('/settings/email-config/preview')
          .send({ email_key: 'rates_changed_to_affiliate', data: {} })
          .expect(200)
      ).body.text;
    expect(await preview()).toContain('Sale: 15% if new customer is yes');
    await t.records.affiliate();
    expect(await preview()).toContain('Sale: 15% if new customer is yes');
    await t.admin
      .post('/reward-rules')
      .send({ rules: [percent('Draft', 7)] })
      .expect(200);
    expect(await preview()).toContain('Draft: Sale: 7%');
    await activate(t, [percent('First', 8)]);
    t.clock.advance(DAY);
    await activate(t, [percent('Second', 9)]);
    expect(await preview()).toMatch(
      /16 Jan 2026[^]*New:\s+.*Second: Sale: 9%\s+No longer:\s+.*First: Sale: 8%/u,
    );
  });

  it.each([
    ['de', 'Ihre Provisionssätze bei Shop ändern sich', 'Verkauf: 30\u00a0%'],
    ['es', 'Sus comisiones en Shop cambian', 'Venta: 30\u00a0%'],
    ['fr', 'Vos taux chez Shop changent', 'Vente: 30\u00a0%'],
    ['ar', 'تتغيّر نسب عمولتك في Shop', 'عملية بيع: \u206830\u200e%\u200e\u2069'],
  ])('are written in %s', async (language, subject, sentence) => {
    const t = await startApp();
    in_(t, language);
    await t.records.affiliate();
    const [mail] = await mailsAfter(t, () => activate(t, [percent('VIP', 30)]));
    expect(mail).toMatchObject({ subject });
    expect(mail?.text).toContain(sentence);
  });

  it('notify an affiliate about another level', async () => {
    const t = await startApp();
    const gold = await t.records.group({ meta_key: 'Gold & more' });
    await t.records.affiliate();
    const levels = { metric: 'sales', window: 'all_time', steps: [{ at_least: 0, group: gold.id }] };
    const { id } = (await t.admin.post('/reward-rules').send({ levels }).expect(200)).body.reward_rules;
    const mails = await mailsAfter(t, async () => {
      await t.admin.post(`/reward-rules/${id}/activate`).send({ without_simulation: true }).expect(200);
      await t.service.jobs.runDue();
    });
    expect(mails).toMatchObject([{ to: 'alice@shop.test', subject: 'Your level at Shop has changed' }]);
    expect(mails[0]?.text).toContain('Gold & more');
  });
});
