import { describe, expect, it } from '@jest/globals';
import { HookVeto } from '../../hooks/index.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Wire } from '../support/records.js';
import { statementsOf } from '../support/statements.js';

const FORMS = ['/creatives/creatives', '/settings/creatives'] as const;
const [PATH] = FORMS;
const IMAGE = { name: 'Summer banner', image: 'https://x.org/b.png', url: 'https://shop.test/sale/?a=1#top' };
const MINUTE = 60_000;
const DAY = 86_400_000;

type Body = Readonly<Record<string, unknown>>;
const create = async (t: TestApp, body: Body): Promise<Wire> =>
  (
    await t.admin
      .post(PATH)
      .send({ ...IMAGE, ...body })
      .expect(200)
  ).body.creative;

describe.each(FORMS)('creatives under %s', (path) => {
  it('creates, shows, lists, changes and deletes', async () => {
    const { admin } = await startApp({ timeZone: 'America/New_York' });

    const { body: created } = await admin
      .post(path)
      .type('form')
      .send(
        'id=&name=Summer+%3Cb%3Ebanner%3C%2Fb%3E&type=image&image=https%3A%2F%2Fx.org%2Fb.png&text=Sale&url=https%3A%2F%2Fx.org%2Fsale%2F&privacy=public' +
          '&status=scheduled&meta[start_time]=2026-06-01+00:00&meta[end_time]=2026-06-30+23:59:59&meta[media_width]=728&meta[notes]=internal&meta[tier]=gold&query_timestamp=1',
      )
      .expect(200);
    const { id } = created.creative;
    const { body: changed } = await admin
      .patch(`${path}/${id}`)
      .send({ id: 99, meta: { media_width: '', qr_color: '#abc' } })
      .expect(200);
    const { body: shown } = await admin.get(`${path}/${id}`).expect(200);
    const { body: list } = await admin.get(path).expect(200);

    expect(created.creative).toEqual({
      id,
      name: 'Summer <b>banner</b>',
      description: '',
      type: 'image',
      image: 'https://x.org/b.png',
      text: 'Sale',
      url: 'https://x.org/sale/',
      privacy: 'public',
      status: 'scheduled',
      affiliate_ids: [],
      group_ids: [],
      meta: {
        start_time: '2026-06-01 00:00:00',
        end_time: '2026-06-30 23:59:59',
        media_width: 728,
        notes: 'internal',
        tier: 'gold',
      },
      title: 'Summer <b>banner</b>',
      content: 'Sale',
      human_updated_at: '15 Jan 2026, 10:00',
      created_at: '2026-01-15T15:00:00+00:00',
      updated_at: '2026-01-15T15:00:00+00:00',
    });
    expect(changed.creative.meta).toEqual({
      start_time: '2026-06-01 00:00:00',
      end_time: '2026-06-30 23:59:59',
      notes: 'internal',
      tier: 'gold',
      qr_color: '#abc',
    });
    expect(shown.creative).toEqual(changed.creative);
    expect(list.creatives).toMatchObject({ total: 1, per_page: 15, data: [changed.creative] });
    await admin.delete(`${path}/${id}`).expect(200);
    await admin
      .get(`${path}/${id}`)
      .expect(404)
      .expect(({ body }) => expect(body.code).toBe('creative_not_found'));
    await admin.patch(`${path}/${id}`).send({ name: 'x' }).expect(404);
    await admin.delete(`${path}/${id}`).expect(404);
  });
});

describe('what a creative accepts', () => {
  it.each([
    ['no name', { name: '  ' }, 'name.required'],
    ['a long name', { name: 'x'.repeat(256) }, 'name.max'],
    ['a long description', { description: 'x'.repeat(5001) }, 'description.max'],
    ['an unknown type', { type: 'video' }, 'type.in'],
    ['an image without address', { image: '' }, 'image.required_if'],
    ['a banner without address', { type: 'banner', image: null }, 'image.required_if'],
    ['an image that is no address', { image: 'javascript:alert(1)' }, 'image.url'],
    ['a text without text', { type: 'text' }, 'text.required_if'],
    ['html that is only script', { type: 'html', text: '<script>x</script>' }, 'text.required_if'],
    ['no address', { url: '' }, 'url.required'],
    ['a relative address', { url: '/sale' }, 'url.url'],
    ['another scheme', { url: 'ftp://x.org/' }, 'url.url'],
    ['a long address', { url: `https://x.org/${'a'.repeat(2040)}` }, 'url.max'],
    ['an unknown privacy', { privacy: 'secret' }, 'privacy.in'],
    ['an unknown status', { status: 'paused' }, 'status.in'],
    ['expired by hand', { status: 'expired' }, 'status.in'],
    ['scheduled without times', { status: 'scheduled' }, 'meta.start_time.required_if'],
    [
      'an end before the start',
      { meta: { start_time: '2026-02-02 10:00', end_time: '2026-02-02 10:00' } },
      'meta.end_time.after',
    ],
    ['no time of day', { meta: { start_time: '2026-02-30 10:00' } }, 'meta.start_time.date'],
    ['a wide picture', { meta: { media_width: 10_001 } }, 'meta.media_width.format'],
    ['no color', { meta: { qr_color: 'red' } }, 'meta.qr_color.format'],
    ['no media type', { meta: { media_type: 'png' } }, 'meta.media_type.format'],
    ['long notes', { meta: { notes: 'x'.repeat(5001) } }, 'meta.notes.format'],
    ['no map as meta', { meta: 'x' }, 'meta.array'],
    ['no ids', { affiliate_ids: ['x'] }, 'affiliate_ids.numeric'],
    ['unknown affiliates', { affiliate_ids: [404] }, 'affiliate_ids.exists'],
    ['unknown groups', { group_ids: [404] }, 'group_ids.exists'],
    ['an object as text', { name: { a: 1 } }, 'name.string'],
  ])('refuses %s', async (_, body, rule) => {
    const { admin } = await startApp();
    const at = rule.lastIndexOf('.');
    const { body: answer } = await admin
      .post(PATH)
      .send({ ...IMAGE, ...body })
      .expect(422);
    expect(answer.code).toBe('validation_failed');
    expect(answer.errors[rule.slice(0, at)]).toHaveProperty(rule.slice(at + 1));
  });

  it('requires an affiliate or a group for private creatives', async () => {
    const t = await startApp();
    const { id: affiliate } = await t.records.affiliate();
    const group = await t.records.group();
    const one = await create(t, {
      privacy: 'private',
      affiliate_ids: [String(affiliate), affiliate],
      group_ids: [group.id],
    });

    await t.admin
      .post(PATH)
      .send({ ...IMAGE, privacy: 'private' })
      .expect(422)
      .expect(({ body }) => expect(body.code).toBe('targets_required'));
    const emptied = await t.admin
      .patch(`${PATH}/${one.id}`)
      .type('form')
      .send('privacy=private&name=x')
      .expect(422);
    const kept = await t.admin.patch(`${PATH}/${one.id}`).send({ privacy: 'private' }).expect(200);
    const part = await t.admin
      .patch(`${PATH}/${one.id}`)
      .type('form')
      .send(`privacy=private&group_ids[]=${group.id}`)
      .expect(200);

    expect(one).toMatchObject({ affiliate_ids: [affiliate], group_ids: [group.id] });
    expect(emptied.body.code).toBe('targets_required');
    expect(kept.body.creative.affiliate_ids).toEqual([affiliate]);
    expect(part.body.creative).toMatchObject({ affiliate_ids: [], group_ids: [group.id] });
  });

  it('loses targets that are deleted, and can still be edited', async () => {
    const t = await startApp();
    const { id: affiliate } = await t.records.affiliate();
    const group = await t.records.group();
    const one = await create(t, { privacy: 'private', affiliate_ids: [affiliate], group_ids: [group.id] });

    await t.admin.delete(`/groups/groups/${group.id}`).expect(200);
    await t.admin.delete(`/affiliates/${affiliate}`).expect(200);
    const { body } = await t.admin.patch(`${PATH}/${one.id}`).send({ status: 'inactive' }).expect(200);

    expect(body.creative).toMatchObject({ affiliate_ids: [], group_ids: [], status: 'inactive', meta: {} });
  });

  it('cleans html and takes the host of the address into account when asked', async () => {
    const t = await startApp({ creatives: { ownSitesOnly: true } });
    const html = await create(t, {
      type: 'html',
      text: '<p onclick="x()">Buy <a href="{{affiliate_link}}">now</a></p><script>1</script>',
    });
    const plain = await t.admin.patch(`${PATH}/${html.id}`).send({ type: 'text' }).expect(200);
    await t.admin
      .post(PATH)
      .send({ ...IMAGE, url: 'https://elsewhere.test/' })
      .expect(422)
      .expect(({ body }) => expect(body.errors.url).toHaveProperty('in'));

    expect(html.text).toBe('<p>Buy <a href="{{affiliate_link}}">now</a></p>');
    expect(plain.body.creative.text).toBe(html.text);
  });

  it('keeps at most twenty scalars of extensions', async () => {
    const t = await startApp();
    const many = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`k${at}`, at]));
    const { meta } = await create(t, { meta: { list: [1], 'bad key': 1, ...many } });
    expect(Object.keys(meta)).toHaveLength(20);
    expect(await create(t, { meta: [] })).toMatchObject({ meta: {} });
  });

  it('fills size and address from the media of the host', async () => {
    const t = await startApp();
    Object.assign(t.host, {
      media: {
        get: async (id: number) =>
          id === 7 ? { url: 'https://shop.test/7.png', width: 30, height: 40, type: 'image/png' } : null,
      },
    });
    const one = await create(t, { image: '', meta: { attachment_id: '7' } });
    expect(one).toMatchObject({
      image: 'https://shop.test/7.png',
      meta: { attachment_id: 7, media_width: 30, media_height: 40, media_type: 'image/png' },
    });
  });

  it('searches and filters by what is in force', async () => {
    const t = await startApp();
    await create(t, { name: 'Winter', description: 'snow' });
    await create(t, { name: 'Later', status: 'scheduled', meta: { start_time: '2026-01-16 00:00' } });
    await create(t, { name: 'Short', meta: { end_time: '2026-01-15 15:30' }, type: 'banner' });
    await create(t, { name: 'Off', status: 'inactive' });
    const names = async (query: string): Promise<string[]> =>
      (await t.admin.get(`${PATH}?${query}`).expect(200)).body.creatives.data.map(
        ({ name }: { name: string }) => name,
      );

    expect(await names('search=SNOW')).toEqual(['Winter']);
    expect(await names('search=shop.test%2Fsale&per_page=2&page=2')).toEqual(['Later', 'Winter']);
    expect(await names('type=banner')).toEqual(['Short']);
    expect(await names('status=active')).toEqual(['Short', 'Winter']);
    t.clock.advance(DAY);
    expect(await names('status=active')).toEqual(['Later', 'Winter']);
    expect(await names('status=expired')).toEqual(['Short']);
    expect(await names('status=scheduled')).toEqual([]);
    expect(await names('status=all')).toHaveLength(4);
  });

  it('is open to administrators only', async () => {
    const t = await startApp();
    await t.as(2).get(PATH).expect(403);
    await t.anonymous.get(PATH).expect(401);
    await t.anonymous.get('/portal/creatives').expect(401);
  });
});

describe('the schedule', () => {
  it('shows the current status and reports each change once', async () => {
    const t = await startApp({ timeZone: 'America/New_York' });
    const calls: string[] = [];
    t.service.hooks.addAction('creative_status_changed', (creative, status) => {
      calls.push(`${creative.name} ${creative.status} ${status}`);
    });
    const { id } = await create(t, {
      name: 'S',
      status: 'scheduled',
      meta: { start_time: '2026-01-15 10:10', end_time: '2026-01-15 11:00' },
    });
    const status = async (): Promise<string> => (await t.admin.get(`${PATH}/${id}`)).body.creative.status;

    expect(await status()).toBe('scheduled');
    await t.service.jobs.runDue();
    t.clock.advance(10 * MINUTE);
    expect(await status()).toBe('active');
    await t.service.jobs.runDue();
    await t.app.creatives.sweep();
    expect(calls).toEqual(['S active active']);
    t.clock.advance(50 * MINUTE);
    expect(await status()).toBe('expired');
    expect(await t.app.creatives.sweep()).toBe(1);
    expect(await t.app.creatives.sweep()).toBe(0);
    expect(calls).toEqual(['S active active', 'S expired expired']);
    await t.admin.patch(`${PATH}/${id}`).send({ status: 'expired', name: 'S2' }).expect(200);
    await t.admin
      .patch(`${PATH}/${id}`)
      .send({ meta: { end_time: '2026-01-20 00:00' } })
      .expect(200);
    expect(await status()).toBe('active');
    await t.admin.patch(`${PATH}/${id}`).send({ status: 'active' }).expect(200);
    await t.admin.patch(`${PATH}/${id}`).send({ status: 'inactive' }).expect(200);
    expect(calls.slice(2)).toEqual(['S2 active active', 'S2 inactive inactive']);
  });

  it('reports a start that an edit meets before the job does', async () => {
    const t = await startApp();
    const calls: string[] = [];
    t.service.hooks.addAction('creative_status_changed', (_creative, status) => {
      calls.push(status);
    });
    const { id } = await create(t, { status: 'scheduled', meta: { start_time: '2026-01-15 15:10' } });
    t.clock.advance(20 * MINUTE);
    await t.admin.patch(`${PATH}/${id}`).send({ name: 'edited' }).expect(200);
    await t.app.creatives.sweep();
    expect(calls).toEqual(['active']);
  });

  it('looks only at what is due', async () => {
    const t = await startApp();
    await create(t, { status: 'scheduled', meta: { start_time: '2026-02-01 00:00' } });
    const statements = await statementsOf(t, async () => {
      expect(await t.app.creatives.sweep()).toBe(0);
    });
    expect(statements).toHaveLength(1);
  });
});

describe('hooks of creatives', () => {
  it('fires each once and in order', async () => {
    const t = await startApp();
    const seen: unknown[] = [];
    const { hooks } = t.service;
    hooks.addFilter('create_creative_data', (data) => {
      seen.push(['data', data.name]);
      return { ...data, name: `${String(data.name)}!<b>` };
    });
    hooks.addAction('after_create_creative', (creative) => {
      seen.push(['created', creative.name, t.app.db.inTransaction]);
    });
    hooks.addFilter('update_creative_data', (data, creative) => {
      seen.push(['change', data.name, creative.name]);
      return { ...data, meta: { ...(data.meta as object), notes: 'n' } };
    });
    hooks.addAction('creative_updated', (creative, previous) => {
      seen.push(['updated', creative.name, previous.name]);
    });
    hooks.addAction('before_delete_creative', (creative) => {
      seen.push(['before delete', creative.id]);
    });
    hooks.addAction('after_delete_creative', (creative, id) => {
      seen.push(['deleted', creative.name, id]);
    });

    const { id } = await create(t, { name: 'A' });
    const { body } = await t.admin.patch(`${PATH}/${id}`).send({ name: 'B' }).expect(200);
    await t.admin.delete(`${PATH}/${id}`).expect(200);

    expect(body.creative.meta).toEqual({ notes: 'n' });
    expect(seen).toEqual([
      ['data', 'A'],
      ['created', 'A!<b>', false],
      ['change', 'B', 'A!<b>'],
      ['updated', 'B', 'A!<b>'],
      ['before delete', id],
      ['deleted', 'B', id],
    ]);
  });

  it('checks what a filter returns, and lets a tap veto a deletion', async () => {
    const t = await startApp();
    const { id } = await create(t, {});
    const untap = t.service.hooks.addFilter('create_creative_data', (data) => ({ ...data, url: 'nowhere' }));
    t.service.hooks.addAction('before_delete_creative', () => {
      throw new HookVeto('It stays.');
    });

    await t.admin
      .post(PATH)
      .send(IMAGE)
      .expect(422)
      .expect(({ body }) => expect(body.errors.url).toHaveProperty('url'));
    untap();
    await t.admin.delete(`${PATH}/${id}`).expect(422);
    await t.admin.get(`${PATH}/${id}`).expect(200);
  });
});
