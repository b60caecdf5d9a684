import { randomBytes } from 'node:crypto';
import request, { type Test } from 'supertest';
import { SITE_HEADERS, siteKey, siteSignature } from '../../src/core/site-signature.js';
import type { TestApp } from './app.js';

/** A connected site as the other end knows it. */
export interface Child {
  readonly site_id: string;
  readonly server_token: string;
  readonly site_url: string;
}

type Method = 'get' | 'post' | 'patch';

/** What to sign otherwise than what is sent. */
export interface Forgery {
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
  /** Seconds beside the clock. */
  readonly skew?: number;
  readonly timestamp?: string;
  readonly nonce?: string;
  readonly token?: string;
  readonly siteId?: string;
  /** Headers that replace the signed ones; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

const PRIMARY_HEADERS = { 'X-Forwarded-Proto': 'https' };

/** Connects a site and switches connected sites on. */
export async function connectChild(
  t: TestApp,
  site_url = 'https://store.test',
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Child> {
  await t.admin.patch('/settings/connected-sites-config').send({ status: 'yes' }).expect(200);
  const { body } = await t.admin
    .post('/settings/connected-sites-config/issue')
    .send({ site_url })
    .expect(200);
  if (Object.keys(settings).length > 0) {
    await t.admin
      .patch('/settings/connected-sites-config/update')
      .send({ site_id: body.site_id, ...settings })
      .expect(200);
  }
  return { site_id: body.site_id, server_token: body.server_token, site_url };
}

/** A signed request as the child sends it. */
export function signed(
  t: TestApp,
  child: Child,
  method: Method,
  path: string,
  body?: object,
  forged: Forgery = {},
): Test {
  const text = body === undefined ? '' : JSON.stringify(body);
  const signed = {
    siteId: child.site_id,
    token: child.server_token,
    timestamp: String(Math.floor(t.clock.now() / 1000) + (forged.skew ?? 0)),
    nonce: randomBytes(16).toString('base64url'),
    method: method.toUpperCase(),
    path,
    body: text,
    ...forged,
  };
  const headers: Record<string, string | undefined> = {
    [SITE_HEADERS.siteId]: signed.siteId,
    [SITE_HEADERS.timestamp]: signed.timestamp,
    [SITE_HEADERS.nonce]: signed.nonce,
    [SITE_HEADERS.signature]: siteSignature(siteKey(signed.siteId, signed.token), signed),
    ...forged.headers,
  };
  const sent = Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const call = request(t.server)
    [method](t.service.basePath + path)
    .set(sent);
  return body === undefined ? call : call.type('json').send(text);
}

/** The plain form; `secure` needs a service that trusts the test's proxy (`tracking.trustProxy`). */
export function plain(
  t: TestApp,
  child: Child,
  method: Method,
  path: string,
  options: { readonly secure?: boolean; readonly token?: string; readonly siteId?: string } = {},
): Test {
  return request(t.server)
    [method](t.service.basePath + path)
    .set(SITE_HEADERS.siteId, options.siteId ?? child.site_id)
    .set('Authorization', `Bearer ${options.token ?? child.server_token}`)
    .set(options.secure === false ? {} : PRIMARY_HEADERS);
}

export const TRUSTED = { tracking: { trustProxy: ['127.0.0.1', '::1'] } } as const;
