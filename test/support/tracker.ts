import express, { type Express } from 'express';
import request, { type Test } from 'supertest';
import type { App } from '../../src/app/app.js';

export const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
/** What a browser sends when somebody follows a link. */
export const NAVIGATION = {
  'User-Agent': BROWSER,
  Accept: 'text/html,application/xhtml+xml',
  'Sec-Fetch-Dest': 'document',
};

export type Headers = Readonly<Record<string, string>>;

/**
 * A host's public pages behind the tracker; every page answers with the address it was
 * found under and may be cached.
 */
export interface TrackedSite {
  readonly pages: Express;
  open(path: string, headers?: Headers): Test;
  /** The call of the browser script, from a page of the site. */
  track(fields: Readonly<Record<string, string>>, headers?: Headers): Test;
}

export function trackedSite(app: App): TrackedSite {
  const pages = express();
  pages.use(app.tracking.middleware());
  pages.use((req, res) => {
    res.set('Cache-Control', 'public, max-age=600').send(req.url);
  });
  return {
    pages,
    open: (path, headers = {}) =>
      request(pages)
        .get(path)
        .set({ ...NAVIGATION, ...headers }),
    track: (fields, headers = {}) =>
      request(pages)
        .post(`${app.basePath}${app.options.tracking.path}`)
        .type('form')
        .set({ 'User-Agent': BROWSER, Origin: app.host.site().url, ...headers })
        .send(fields),
  };
}

/** The `Set-Cookie` line of an answer, or null. */
export function setCookie(answer: { headers: Record<string, unknown> }): string | null {
  const lines = answer.headers['set-cookie'];
  return Array.isArray(lines)
    ? String(lines.find((line) => String(line).startsWith('f_aff=')) ?? '') || null
    : null;
}

/** The value of the attribution cookie as a request sends it back. */
export const cookieOf = (answer: { headers: Record<string, unknown> }): string =>
  (setCookie(answer) ?? '').split(';')[0] ?? '';

/** The decoded parts of an attribution cookie: value, visit id, seconds, signature. */
export const cookieParts = (cookie: string): string[] =>
  decodeURIComponent(cookie.slice(cookie.indexOf('=') + 1)).split('|');
