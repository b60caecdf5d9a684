import { fail } from '../../errors.js';

const MAX_BYTES = 8192;

/** The site as its connector describes it. */
export interface ChildConfig {
  readonly site_url: unknown;
  readonly site_title: unknown;
  readonly logo: unknown;
  readonly description: unknown;
  readonly subtitle: unknown;
}

/**
 * Reads the text of a site's connector: a JSON object, or the same in base64 (docs/connected-sites.md §4).
 */
export function readChildToken(token: unknown): ChildConfig {
  const text = typeof token === 'string' ? token.trim() : '';
  if (text === '' || Buffer.byteLength(text) > MAX_BYTES) return fail('invalid_child_token');
  const values = asObject(text) ?? asObject(decoded(text)) ?? fail('invalid_child_token');
  const first = (...names: readonly string[]): unknown =>
    names.map((name) => values.get(name)).find((value) => value !== undefined && value !== '');
  return {
    site_url: first('site_url', 'url', 'home_url'),
    site_title: first('site_title', 'title', 'name'),
    logo: first('logo'),
    description: first('description'),
    subtitle: first('subtitle'),
  };
}

const decoded = (text: string): string =>
  /^[A-Za-z0-9+/_=-]+$/.test(text) ? Buffer.from(text, 'base64').toString('utf8') : '';

function asObject(text: string): ReadonlyMap<string, unknown> | null {
  if (!text.startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : null;
  } catch {
    return null;
  }
}
