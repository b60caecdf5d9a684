import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';

const PATHS = ['/license/license', '/settings/license'];
const UNREGISTERED = { status: 'unregistered', license_status: 'unregistered', license_expires: null };

/** A provider whose answers the test sets. */
function withProvider(
  t: TestApp,
  answers: { status?: unknown; activate?: unknown; deactivate?: unknown },
): void {
  const answer = (value: unknown) => async (): Promise<Record<string, unknown>> => {
    if (value instanceof Error) throw value;
    return value as Record<string, unknown>;
  };
  Object.assign(t.host, {
    license: {
      status: answer(answers.status),
      activate: answer(answers.activate),
      deactivate: answer(answers.deactivate),
    },
  });
}

describe.each(PATHS)('license at %s', (path) => {
  it('is unregistered, valid for life after any key, and unregistered again', async () => {
    const { admin } = await startApp();
    expect((await admin.get(path).expect(200)).body).toEqual(UNREGISTERED);
    const { body } = await admin.post(path).send({ license_key: ' ABCD-1234-7F3A ' }).expect(200);
    expect(body.license_data).toMatchObject({
      status: 'valid',
      is_lifetime: true,
      license_key_masked: '••••••••••7F3A',
    });
    expect((await admin.get(path).expect(200)).body).toMatchObject({
      status: 'valid',
      last_checked_human: '15 Jan 2026, 15:00',
    });
    expect((await admin.delete(path).expect(200)).body.license_data).toEqual(UNREGISTERED);
    expect((await admin.delete(path).expect(200)).body.license_data).toEqual(UNREGISTERED);
  });
});

describe('license (docs/interface.md §13)', () => {
  it.each([
    [{}, 'license_key_required'],
    [{ license_key: '  ' }, 'license_key_required'],
    [{ license_key: 'abc' }, 'validation_failed'],
    [{ license_key: 'x'.repeat(256) }, 'validation_failed'],
    [{ license_key: 'ключик' }, 'validation_failed'],
  ])('refuses %j', async (body, code) => {
    const { admin } = await startApp();
    expect((await admin.post(PATHS[0]!).send(body).expect(422)).body.code).toBe(code);
  });

  it('stores the key sealed and reports the change once', async () => {
    const t = await startApp();
    const heard: unknown[] = [];
    t.service.hooks.addAction('license_changed', (status, previous) => void heard.push([status, previous]));
    await t.admin.post(PATHS[0]!).send({ license_key: 'SECRET-KEY-0001' }).expect(200);
    await t.admin.post(PATHS[0]!).send({ license_key: 'SECRET-KEY-0002' }).expect(200);
    const rows = JSON.stringify(await t.app.db('options').select());
    expect(rows).toContain('_license');
    expect(rows).not.toContain('SECRET-KEY');
    expect(heard).toEqual([['valid', 'unregistered']]);
  });

  it('leaves the stored license alone when the provider refuses a key or is away', async () => {
    const t = await startApp();
    await t.admin.post(PATHS[0]!).send({ license_key: 'GOOD-0001' }).expect(200);
    withProvider(t, { activate: { status: 'invalid', message: 'Key <b>expired</b>' } });
    const { body } = await t.admin.post(PATHS[0]!).send({ license_key: 'BAD-0002' }).expect(422);
    expect([body.code, body.message]).toEqual(['license_invalid', 'Key expired']);
    withProvider(t, {
      activate: new Error('ECONNREFUSED'),
      status: new Error('down'),
      deactivate: new Error('down'),
    });
    expect((await t.admin.post(PATHS[0]!).send({ license_key: 'NEW-0003' }).expect(502)).body.code).toBe(
      'license_server_unreachable',
    );
    t.clock.advance(61_000);
    expect((await t.admin.get(`${PATHS[0]}?verify=1`).expect(200)).body).toMatchObject({
      status: 'valid',
      error_message: expect.any(String),
      license_key_masked: '•••••0001',
    });
    expect((await t.admin.delete(PATHS[0]!).expect(200)).body).toMatchObject({
      license_data: UNREGISTERED,
      message: expect.stringContaining('could not be notified'),
    });
  });

  it('asks the provider at most once a minute and shows only the documented keys', async () => {
    const t = await startApp();
    withProvider(t, {
      activate: { status: 'valid' },
      status: {
        status: 'expired',
        is_expired: true,
        days_remaining: -3,
        license_key: 'SECRET',
        renew_url: 'javascript:alert(1)',
        manage_url: 'https://x.test/',
      },
    });
    await t.admin.post(PATHS[0]!).send({ license_key: 'KEY-0001' }).expect(200);
    expect((await t.admin.get(`${PATHS[0]}?verify=1`).expect(200)).body.status).toBe('valid');
    t.clock.advance(61_000);
    const { body } = await t.admin.get(`${PATHS[0]}?verify=1`).expect(200);
    expect(body).toEqual({
      status: 'expired',
      license_status: 'expired',
      license_expires: null,
      is_expired: true,
      days_remaining: -3,
      manage_url: 'https://x.test/',
      license_key_masked: '••••0001',
      last_checked_human: '15 Jan 2026, 15:01',
    });
  });
});
