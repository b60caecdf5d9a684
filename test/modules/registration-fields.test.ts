import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';

type Field = Record<string, unknown> & { name: string };

const PATH = '/settings/registration-fields';
const list = async (t: TestApp): Promise<Field[]> => (await t.admin.get(PATH).expect(200)).body.fields;
const find = async (t: TestApp, name: string): Promise<Field | undefined> =>
  (await list(t)).find((field) => field.name === name);
const save = (t: TestApp, fields: unknown, settings?: object) =>
  t.admin.post(PATH).send({ fields, ...(settings ? { settings } : {}) });
const custom = (more: object = {}): object => ({ type: 'text', label: 'Audience', ...more });

describe('registration fields (docs/settings.md §8)', () => {
  it('lists the built-in fields in their order and the default settings', async () => {
    const t = await startApp();
    const { body } = await t.admin.get(PATH).expect(200);
    expect(body.settings).toEqual({ enabled: 'yes', require_approval: 'yes' });
    expect(
      body.fields.map(({ name, type, required, disable_alter, system_defined, public_only }: Field) => [
        name,
        type,
        required,
        disable_alter,
        system_defined,
        public_only,
      ]),
    ).toEqual([
      ['full_name', 'text', 'yes', 'yes', 'yes', 'no'],
      ['email', 'email', 'yes', 'yes', 'yes', 'no'],
      ['username', 'text', 'yes', 'yes', 'yes', 'yes'],
      ['password', 'password', 'yes', 'yes', 'yes', 'yes'],
      ['conf_password', 'password', 'yes', 'yes', 'yes', 'yes'],
      ['raw_html', 'raw_html', 'no', 'no', 'no', 'no'],
      ['note', 'textarea', 'yes', 'no', 'yes', 'no'],
      ['url', 'url', 'no', 'no', 'yes', 'no'],
      ['terms_condition', 'inline_checkbox', 'yes', 'yes', 'yes', 'no'],
      ['payment_email', 'email', 'yes', 'no', 'yes', 'no'],
    ]);
  });

  it('keeps the order, the texts and what may change; restores what may not', async () => {
    const t = await startApp();
    const { body } = await save(
      t,
      [
        {
          name: 'note',
          type: 'password',
          label: '<b>Why</b> you?',
          required: 'no',
          enabled: false,
          placeholder: 'Tell',
          help_text: 'Short',
          system_defined: 'no',
        },
        { name: 'email', label: '', required: 'no', enabled: 'no' },
        custom({ type: 'select', options: [' < 1k ', '> 1k'], required: '1' }),
        { name: 'raw_html', html: '<p onclick="x()">Hi</p><script>1</script>', required: 'yes' },
      ],
      { require_approval: '0' },
    ).expect(200);
    expect(body).toMatchObject({
      message: expect.any(String),
      settings: { enabled: 'yes', require_approval: 'no' },
    });
    expect(body.fields.slice(0, 4)).toMatchObject([
      {
        name: 'note',
        type: 'textarea',
        label: '<b>Why</b> you?',
        required: 'no',
        enabled: 'no',
        placeholder: 'Tell',
        help_text: 'Short',
        system_defined: 'yes',
      },
      { name: 'email', label: 'Email', required: 'yes', enabled: 'yes' },
      {
        name: 'custom_audience',
        type: 'select',
        options: ['< 1k', '> 1k'],
        required: 'yes',
        enabled: 'yes',
        custom: 'yes',
        system_defined: 'no',
      },
      { name: 'raw_html', html: '<p>Hi</p>', required: 'no' },
    ]);
    expect(body.fields.map(({ name }: Field) => name).slice(4)).toEqual([
      'full_name',
      'username',
      'password',
      'conf_password',
      'url',
      'terms_condition',
      'payment_email',
    ]);
    expect(await list(t)).toEqual(body.fields);
    expect((await save(t, body.fields).expect(200)).body.fields).toEqual(body.fields);
  });

  it('takes the form encoding of the admin app', async () => {
    const t = await startApp();
    const sent =
      'fields[0][name]=&fields[0][type]=radio&fields[0][label]=Size&fields[0][options][0]=S&fields[0][options][1]=L&fields[0][required]=yes&settings[enabled]=no&settings[require_approval]=yes';
    const { body } = await t.admin.post(PATH).type('form').send(sent).expect(200);
    expect(body.fields[0]).toMatchObject({ name: 'custom_size', options: ['S', 'L'], required: 'yes' });
    expect(body.settings).toEqual({ enabled: 'no', require_approval: 'yes' });
  });

  it('gives names of its own and keeps them', async () => {
    const t = await startApp();
    const first = (
      await save(t, [
        custom(),
        custom({ label: 'Äudience!' }),
        custom({ label: '???' }),
        custom({ name: 'tax_id', label: 'Tax' }),
      ]).expect(200)
    ).body.fields as Field[];
    expect(first.slice(0, 4).map(({ name }) => name)).toEqual([
      'custom_audience',
      'custom_a_udience',
      'custom_field',
      'tax_id',
    ]);
    const again = (await save(t, [{ ...first[0], label: 'Reach' }, custom()]).expect(200)).body
      .fields as Field[];
    expect(again.slice(0, 2).map(({ name, label }) => [name, label])).toEqual([
      ['custom_audience', 'Reach'],
      ['custom_audience_2', 'Audience'],
    ]);
  });

  it.each<[string, unknown, string, string]>([
    ['no list', 'x', 'fields', 'array'],
    ['no map', ['x'], 'fields.0', 'array'],
    ['no label', [custom({ label: ' ' })], 'fields.0.label', 'required'],
    ['a long label', [custom({ label: 'x'.repeat(192) })], 'fields.0.label', 'max'],
    ['a long label of a built-in', [{ name: 'note', label: 'x'.repeat(192) }], 'fields.0.label', 'max'],
    ['no type', [custom({ type: '' })], 'fields.0.type', 'required'],
    ['an unknown type', [custom({ type: 'password' })], 'fields.0.type', 'in'],
    ['no options', [custom({ type: 'select' })], 'fields.0.options', 'required'],
    ['an empty option', [custom({ type: 'radio', options: ['a', ' '] })], 'fields.0.options.1', 'required'],
    [
      'the same option twice',
      [custom({ type: 'radio', options: ['a', ' a'] })],
      'fields.0.options',
      'distinct',
    ],
    ['a long option', [custom({ type: 'radio', options: ['x'.repeat(101)] })], 'fields.0.options.0', 'max'],
    [
      'too many options',
      [custom({ type: 'multiselect', options: Array.from({ length: 101 }, (_, i) => `o${i}`) })],
      'fields.0.options',
      'max',
    ],
    ['a built-in name', [custom({ name: 'email', custom: 'yes' })], 'fields.0.name', 'distinct'],
    ['the name of the bait', [custom({ name: 'hp_website' })], 'fields.0.name', 'distinct'],
    ['a wrong name', [custom({ name: '1 x' })], 'fields.0.name', 'format'],
    ['a name twice', [custom({ name: 'a' }), custom({ name: 'a' })], 'fields.1.name', 'distinct'],
    ['a built-in twice', [{ name: 'url' }, { name: 'url' }], 'fields.1.name', 'distinct'],
    ['a wrong flag', [{ name: 'url', required: 'perhaps' }], 'fields.0.required', 'in'],
    ['too many fields', Array.from({ length: 51 }, () => custom()), 'fields', 'max'],
  ])('refuses %s', async (_title, fields, path, rule) => {
    const t = await startApp();
    const { body } = await save(t, fields).expect(422);
    expect(body).toMatchObject({
      code: 'validation_failed',
      errors: { [path]: { [rule]: expect.any(String) } },
    });
  });

  it('needs the list and does not change the type of a stored field', async () => {
    const t = await startApp();
    expect((await t.admin.post(PATH).send({}).expect(422)).body.errors).toHaveProperty('fields.required');
    await save(t, [custom()]).expect(200);
    const { body } = await save(t, [{ ...custom({ type: 'number' }), name: 'custom_audience' }]).expect(422);
    expect(body.errors['fields.0.type']).toHaveProperty('in');
    expect((await find(t, 'custom_audience'))?.['type']).toBe('text');
  });

  it('shows the payout field of the method in use and keeps the other one', async () => {
    const t = await startApp();
    await save(t, [{ name: 'payment_email', label: 'PayPal account', required: 'no' }]).expect(200);
    await t.app.settings.saveReferralConfig({ payout_method: 'bank_transfer' });
    const fields = await list(t);
    expect(fields.map(({ name }) => name)).toContain('bank_details');
    expect(fields.map(({ name }) => name)).not.toContain('payment_email');
    await save(t, fields).expect(200);
    await t.app.settings.saveReferralConfig({ payout_method: 'paypal' });
    expect(await find(t, 'payment_email')).toMatchObject({ label: 'PayPal account', required: 'no' });
  });

  it('lets an affiliate be saved without payment e-mail when the form does not ask for one', async () => {
    const t = await startApp();
    const { id } = await t.records.affiliate({ user_id: 2, payment_email: 'a@shop.test' });
    await t.admin.patch(`/affiliates/${id}`).send({ payment_email: '' }).expect(422);
    await save(t, [{ name: 'payment_email', required: 'no' }]).expect(200);
    await t.admin.patch(`/affiliates/${id}`).send({ payment_email: '' }).expect(200);
  });

  it('asks the filters for fields and for the address of the terms, and stores neither', async () => {
    const t = await startApp();
    t.service.hooks.addFilter('terms_policy_url', () => 'https://shop.test/terms');
    expect((await find(t, 'terms_condition'))?.['inline_label']).toContain('href="https://shop.test/terms"');
    await save(t, await list(t)).expect(200);
    t.service.hooks.addFilter('terms_policy_url', () => 'https://shop.test/rules');
    expect((await find(t, 'terms_condition'))?.['inline_label']).toContain('href="https://shop.test/rules"');
    await save(t, [{ name: 'terms_condition', inline_label: 'I <b>agree</b><script>1</script>' }]).expect(
      200,
    );
    expect((await find(t, 'terms_condition'))?.['inline_label']).toBe('I <b>agree</b>');
    const untap = t.service.hooks.addFilter('auth/signup_fields', (fields, user) => [
      ...fields,
      user,
      null,
      { name: 'vat', type: 'text', label: 'VAT' },
      { name: 'vat', type: 'text' },
    ]);
    expect((await list(t)).slice(-1)).toMatchObject([
      { name: 'vat', enabled: 'yes', required: 'no', custom: 'yes' },
    ]);
    untap();
    expect(await find(t, 'vat')).toBeUndefined();
  });
});

describe('answers to custom fields', () => {
  const FIELDS = [
    custom({ name: 'a_text' }),
    custom({ name: 'a_number', type: 'number' }),
    custom({ name: 'a_date', type: 'date' }),
    custom({ name: 'a_url', type: 'url' }),
    custom({ name: 'a_choice', type: 'select', options: ['x', 'y'] }),
    custom({ name: 'a_list', type: 'multiselect', options: ['x', 'y', 'z'] }),
    custom({ name: 'a_must', type: 'textarea', required: 'yes' }),
  ];

  it.each<[string, unknown, unknown]>([
    ['a_text', ' <b>hi</b> ', '<b>hi</b>'],
    ['a_text', '', ''],
    ['a_text', 'x'.repeat(256), 'max'],
    ['a_text', { a: 1 }, 'string'],
    ['a_number', '12.5', 12.5],
    ['a_number', 7, 7],
    ['a_number', 'seven', 'numeric'],
    ['a_number', '', null],
    ['a_date', '2026-02-28', '2026-02-28'],
    ['a_date', '2026-02-30', 'date'],
    ['a_url', 'https://a.test/x', 'https://a.test/x'],
    ['a_url', 'javascript:alert(1)', 'url'],
    ['a_choice', 'y', 'y'],
    ['a_choice', 'q', 'in'],
    ['a_list', ['z', 'x'], ['x', 'z']],
    ['a_list', 'y', ['y']],
    ['a_list', { 0: 'y' }, ['y']],
    ['a_list', ['q'], 'in'],
    ['a_list', '', []],
    ['a_must', ' ', 'required'],
  ])('reads %s from %j as %j', async (name, sent, expected) => {
    const t = await startApp();
    await save(t, FIELDS).expect(200);
    const read = t.app.registration
      .customValues(await t.app.registration.customFields(), { a_must: 'ok', [name]: sent })
      .then(
        (values) => values[name],
        (error: { fields: Record<string, object> }) => Object.keys(error.fields[name] ?? {})[0],
      );
    expect(await read).toEqual(expected);
  });
});
