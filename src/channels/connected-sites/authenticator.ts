import { SITE_HEADERS, siteKey, siteSignature } from '../../core/site-signature.js';
import { MINUTE } from '../../core/duration.js';
import { AffiliateError, fail } from '../../errors.js';
import type { RequestInfo } from '../../platform/http/request-info.js';
import { RateLimiter, type RateLimit } from '../../platform/http/rate-limit.js';
import type { Deps } from './deps.js';
import type { SiteKeys } from './credentials.js';
import { findSecret, findSite, useNonce } from './repository.js';
import type { ConnectedSite } from './types.js';

const WINDOW_SECONDS = 300;
const SITE_ID = /^[1-9]\d{5}$/;
const TIMESTAMP = /^\d{1,12}$/;
const NONCE = /^[A-Za-z0-9_-]{16,64}$/;
const SIGNATURE = /^v1=[0-9a-f]{64}$/;
const FAILURES: RateLimit = {
  name: 'site-failures',
  points: 20,
  windowMs: 300_000,
  batch: 1,
  code: 'too_many_attempts',
};
const SHARED_BATCH = 20;

interface SignedCredentials {
  readonly form: 'signed';
  readonly siteId: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly signature: string;
}
interface PlainCredentials {
  readonly form: 'plain';
  readonly siteId: string;
  readonly token: string;
}

/** Accepts a request as coming from the site that it proves to be (docs/connected-sites.md §6). */
export class SiteAuthenticator {
  readonly #limiter: RateLimiter;

  constructor(
    private readonly app: Deps,
    private readonly keys: SiteKeys,
    private readonly isOn: () => Promise<boolean>,
  ) {
    this.#limiter = new RateLimiter(app);
  }

  async authenticate(request: RequestInfo): Promise<ConnectedSite> {
    const site = await this.#proven(request);
    if (!(await this.isOn())) fail('multi_site_disabled');
    if (site.status !== 'active') fail('site_inactive');
    const points = this.app.options.connectedSites.requestsPerMinute;
    await this.#limiter.take(
      { name: 'site', points, windowMs: MINUTE, batch: Math.min(SHARED_BATCH, points) },
      site.site_id,
    );
    return site;
  }

  /** The site with this id and token, or null. */
  async siteOf(siteId: string, token: string): Promise<ConnectedSite | null> {
    const stored = await findSecret(this.app.db, siteId);
    const given = siteKey(siteId, token);
    return this.keys.proves(siteId, stored, { given, expected: (key) => key })
      ? findSite(this.app.db, siteId)
      : null;
  }

  /**
   * The proof is checked first, and only failures are counted: others who fail from the same address, or with
   * the site's id, cannot lock out a site. After too many failures, a further one gets 429 and reveals
   * nothing.
   */
  async #proven(request: RequestInfo): Promise<ConnectedSite> {
    const credentials = readCredentials(request);
    try {
      if (credentials === null) return fail('site_auth_failed');
      return credentials.form === 'signed'
        ? await this.#signed(credentials, request)
        : await this.#plain(credentials, request);
    } catch (error) {
      if (error instanceof AffiliateError && error.status === 401) {
        await this.#limiter.takeAddress(FAILURES, request.ip, (key) => `ip:${key}`);
        if (credentials) await this.#limiter.take(FAILURES, credentials.siteId);
      }
      throw error;
    }
  }

  async #signed(credentials: SignedCredentials, request: RequestInfo): Promise<ConnectedSite> {
    const { clock, db } = this.app;
    const serverTime = Math.floor(clock.now() / 1000);
    if (Math.abs(serverTime - Number(credentials.timestamp)) > WINDOW_SECONDS)
      fail('signature_expired', { extra: { server_time: serverTime } });
    const parts = {
      method: request.method,
      path: request.target,
      timestamp: credentials.timestamp,
      nonce: credentials.nonce,
      body: this.#body(request),
    };
    const stored = await findSecret(db, credentials.siteId);
    const proof = {
      given: Buffer.from(credentials.signature),
      expected: (key: Buffer) => Buffer.from(siteSignature(key, parts)),
    };
    if (!this.keys.proves(credentials.siteId, stored, proof)) fail('site_auth_failed');
    if (!(await useNonce(db, credentials.siteId, { nonce: credentials.nonce, now: clock.now() })))
      fail('signature_replayed');
    return (await findSite(db, credentials.siteId)) ?? fail('site_auth_failed');
  }

  async #plain(credentials: PlainCredentials, request: RequestInfo): Promise<ConnectedSite> {
    if (!request.secure || this.app.options.connectedSites.auth === 'signed') fail('signed_request_required');
    return (await this.siteOf(credentials.siteId, credentials.token)) ?? fail('site_auth_failed');
  }

  // The bytes that a parser of the host has read are lost; parsed fields cannot replace the bytes that were
  // signed.
  #body({ rawBody, submitted }: RequestInfo): Uint8Array | string {
    if (rawBody !== undefined) return rawBody;
    if (Object.keys(submitted).length === 0) return '';
    return fail('webhook_raw_body_missing');
  }
}

/** The credentials in a request; null when they are malformed or missing. The query is never read. */
function readCredentials(request: RequestInfo): SignedCredentials | PlainCredentials | null {
  const [timestamp, nonce, signature] = [
    SITE_HEADERS.timestamp,
    SITE_HEADERS.nonce,
    SITE_HEADERS.signature,
  ].map((name) => request.header(name));
  const signed = [timestamp, nonce, signature].some((value) => value !== undefined);
  const siteId = request.header(SITE_HEADERS.siteId) ?? (signed ? '' : scalar(request.submitted['site_id']));
  if (!SITE_ID.test(siteId)) return null;
  if (signed)
    return isForm(timestamp, TIMESTAMP) && isForm(nonce, NONCE) && isForm(signature, SIGNATURE)
      ? { form: 'signed', siteId, timestamp, nonce, signature }
      : null;
  const token =
    /^Bearer ([A-Za-z0-9]{1,64})$/i.exec(request.header('authorization') ?? '')?.[1] ??
    scalar(request.submitted['server_token']);
  return /^[A-Za-z0-9]{1,64}$/.test(token) ? { form: 'plain', siteId, token } : null;
}

const isForm = (value: string | undefined, form: RegExp): value is string =>
  value !== undefined && form.test(value);
const scalar = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
