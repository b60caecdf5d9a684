import { describe, expect, it } from '@jest/globals';
import { allRoutes } from '../../src/app/routes.js';
import { isSelection } from '../../src/platform/http/selection.js';
import { selectsBy } from '../../src/platform/http/define-route.js';
import { startApp } from '../support/app.js';

/** Routes that pay, change or hand out several rows; a new one has to be added here or declare a file. */
const ACTIONS = ['payouts.preview', 'payouts.process', 'payouts.markAllPaid', 'payouts.undo'];

interface Properties {
  readonly [key: string]: {
    readonly words?: readonly string[];
    readonly enum?: readonly string[];
    readonly shape?: { readonly enum?: readonly string[] };
  };
}

const routes = allRoutes().flatMap((route) => {
  const by = selectsBy(route);
  const schema: { properties?: Properties } | undefined = by === 'query' ? route.query : route.body;
  return by === null
    ? []
    : [{ id: route.id, by, method: route.method, path: route.paths[0], known: schema?.properties ?? {} }];
});
const exports_ = routes.filter(({ by }) => by === 'query');

/** Each wrong choice of an export, as the text of a query, with the key that is named. */
const wrongQueries = routes
  .filter(({ by }) => by === 'query')
  .flatMap(({ path, known }) => {
    const unknown = ['affiliate_ids[]=1', 'affiliates=1', 'group_id=1', 'ids=1', 'statuses=paid'];
    const declared = Object.keys(known).filter((key) => isSelection(key) && !/date|currency/.test(key));
    const words = Object.entries(known).filter(
      ([key, { words: some, enum: choices, shape }]) =>
        isSelection(key) && (some ?? choices ?? shape?.enum) !== undefined,
    );
    return [
      ...unknown.filter((text) => !Object.hasOwn(known, text.split(/[[=]/)[0] ?? '')),
      ...declared.flatMap((key) => [
        ...(words.some(([word]) => word === key) ? [] : [`${key}=`]),
        `${key}[]=`,
      ]),
      ...words.map(([key]) => `${key}=nonsense`),
    ].map((text) => [path, text, text.split(/[[=]/)[0]!] as const);
  });

describe('a selection that cannot be read, or is empty, selects nobody', () => {
  it('in every route that pays, changes or hands out rows', () => {
    const ids = routes.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(ACTIONS));
    const files = allRoutes().filter(({ id }) => /export/.test(id) && !/statement|payment$/.test(id));
    expect(files.map(({ id }) => id).filter((id) => !ids.includes(id))).toEqual([]);
    expect(exports_.length).toBeGreaterThan(8);
    expect(wrongQueries.length).toBeGreaterThan(60);
  });

  it('exports: 422 with the key', async () => {
    const t = await startApp();
    const alice = (await t.records.affiliate({ user_id: 2, status: 'active' })) as { id: number };
    const payout = (await t.records
      .referral({ affiliate_id: alice.id, amount: '5.00', status: 'unpaid' })
      .then(() => t.records.payout({}))) as { id: number };
    const answers = [];
    for (const [path, text, key] of wrongQueries) {
      const at = path.replace(':id', String(payout.id)).replace(':provider', 'shop');
      const client = path.startsWith('/portal') ? t.as(2) : t.admin;
      const { status, body } = await client.get(`${at}?${text}`);
      answers.push([path, text, status, key in (body.data?.errors ?? body.errors ?? {})]);
    }
    expect(answers.filter(([, , status, named]) => status !== 422 || named !== true)).toEqual([]);
  });

  it.each([
    [{ affiliate_ids: [''] }, 'affiliate_ids'],
    [{ affiliate_ids: [null] }, 'affiliate_ids'],
    [{ affiliate_ids: [] }, 'affiliate_ids'],
    [{ affiliate_ids: null }, 'affiliate_ids'],
    [{ affiliate_ids: '' }, 'affiliate_ids'],
    [{ affiliate_ids: {} }, 'affiliate_ids'],
    [{ affiliate_ids: [1, ''] }, 'affiliate_ids'],
    [{ affiliate_id: 1 }, 'affiliate_id'],
    [{ affiliates: [1] }, 'affiliates'],
    [{ group_id: 1 }, 'group_id'],
    [{ referral_ids: [1] }, 'referral_ids'],
    [{ date_from: '2026-01-01' }, 'date_from'],
  ])('a payout with %j', async (choice, key) => {
    const t = await startApp();
    const alice = (await t.records.affiliate({ user_id: 2, status: 'active' })) as { id: number };
    await t.records.referral({ affiliate_id: alice.id, amount: '5.00', status: 'unpaid' });
    const config = { title: 'January', description: 'All of it', ...choice };
    const routesOfRuns = ['/payouts/validate-payout-config', '/payouts/process-payout'];
    for (const path of routesOfRuns) {
      const { body } = await t.admin.post(path).send({ config }).expect(422);
      expect(JSON.stringify(body)).toContain(`"${key}":{`);
      const others = { title: 'January', description: 'All of it' };
      await t.admin
        .post(path)
        .send({ config: others, affiliate_ids: [alice.id] })
        .expect(422);
    }
    await expect(t.service.payouts.preview(config as never)).rejects.toMatchObject({ status: 422 });
    expect((await t.admin.get('/payouts').expect(200)).body.payouts.total).toBe(0);
  });

  it('a bulk action on transactions', async () => {
    const t = await startApp();
    const alice = (await t.records.affiliate({
      user_id: 2,
      status: 'active',
      payment_email: 'a@pay.test',
    })) as { id: number };
    await t.records.referral({ affiliate_id: alice.id, amount: '5.00', status: 'unpaid' });
    const { id } = (await t.records.payout({})) as { id: number };
    for (const choice of [
      { transaction_ids: [1] },
      { transaction_ids: [] },
      { affiliate_ids: [1] },
      { ids: [1] },
    ]) {
      const [key] = Object.keys(choice);
      const { body } = await t.admin
        .patch(`/payouts/${id}/transactions/bulk-action`)
        .send(choice)
        .expect(422);
      expect(JSON.stringify(body)).toContain(`"${key}":{`);
      await t.admin.post(`/payouts/${id}/undo`).send(choice).expect(422);
    }
    const open = await t.admin.get(`/payouts/${id}/transactions?status=processing`).expect(200);
    expect(open.body.transactions.total).toBe(1);
  });

  it('a filter of the export of affiliates that a list ignores', async () => {
    const t = await startApp();
    for (const text of ['filters[nonsense][value]=1', 'filters[status][operator]==&filters[status][value]='])
      await t.admin.get(`/affiliates/export?${text}`).expect(422);
    await t.admin.get('/affiliates/export?filters[group][operator]=IN&filters[group][value]=1').expect(200);
    await t.admin.get('/affiliates/export?status=all').expect(200);
    await t.admin.get('/affiliates/export?status[]=active&status[]=pending').expect(200);
  });
});
