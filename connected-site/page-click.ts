import type { IncomingMessage } from 'node:http';
import { isbot } from 'isbot';
import { cleanValue, linkFields, mayHold } from '../src/core/link-value.js';
import { SUB_IDS } from '../src/core/sub-ids.js';

const UTM = ['utm_campaign', 'utm_medium', 'utm_source', ...SUB_IDS] as const;
const PREFETCH = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];
const MAX_ADDRESS = 8192;

export interface PageClick {
  readonly param: string;
  readonly url: string;
  readonly referrer: string;
  readonly visitId: number | null;
  readonly utm: Readonly<Partial<Record<(typeof UTM)[number], string>>>;
}

const header = (req: IncomingMessage, name: string): string => String(req.headers[name] ?? '');
export const addressOf = (req: IncomingMessage): string =>
  (req as { originalUrl?: string }).originalUrl ?? req.url ?? '/';

/** False for most requests: without a parameter, or for a robot, there is no click. */
export const mayBeClick = (req: IncomingMessage): boolean => {
  const address = addressOf(req);
  return req.method === 'GET' && address.length <= MAX_ADDRESS && address.includes('?') && isPerson(req);
};

export const holdsOne = (req: IncomingMessage, variables: readonly string[]): boolean =>
  variables.some((variable) => mayHold(addressOf(req), variable));

/** Does the browser ask for the page before the visitor clicks? */
export const isPrefetch = (req: IncomingMessage): boolean =>
  PREFETCH.some((name) => /prefetch|prerender|preview/i.test(header(req, name)));

/** Reads a click from the address of a page by the first variable with a value; null when it names no affiliate. */
export function readClick(
  req: IncomingMessage,
  variables: readonly string[],
  siteUrl: string,
): PageClick | null {
  for (const variable of variables) {
    const click = readClickBy(req, variable, siteUrl);
    if (click !== null) return click;
  }
  return null;
}

function readClickBy(req: IncomingMessage, variable: string, siteUrl: string): PageClick | null {
  // A request line with `//host/path` means a path, not another host.
  const url = new URL(addressOf(req).replace(/^[/\\]{2,}/, '/'), new URL(siteUrl).origin);
  const fields = linkFields(url.searchParams, [variable, 'visit_id', ...UTM]);
  const param = cleanValue(fields[variable]);
  if (param === '') return null;
  const { visit_id: visit = '', [variable]: _value, ...utm } = fields;
  return {
    param,
    url: url.href,
    referrer: header(req, 'referer'),
    visitId: /^[1-9]\d{0,14}$/.test(visit) ? Number(visit) : null,
    utm,
  };
}

/** Campaign values of the current page, for links that lead away from it. */
export function utmOf(url: URL): PageClick['utm'] {
  return Object.fromEntries(
    UTM.map((name) => [name, url.searchParams.get(name)] as const).filter(
      (entry): entry is [(typeof entry)[0], string] => !!entry[1],
    ),
  );
}

function isPerson(req: IncomingMessage): boolean {
  const agent = header(req, 'user-agent');
  if (agent === '' || isbot(agent) || header(req, 'sec-gpc') === '1') return false;
  const destination = header(req, 'sec-fetch-dest');
  return destination === ''
    ? /text\/html|application\/xhtml\+xml/.test(header(req, 'accept'))
    : destination === 'document';
}
