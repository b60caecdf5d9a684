import type { IncomingHttpHeaders } from 'node:http';
import { isbot } from 'isbot';
import type { SkipReason } from './types.js';

/** The parts of a request that decide whether it can be a person's click. */
export interface ClickRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed query or body, which may contain `no-track` and `bot`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /**
   * Option `tracking.countTools`: also counts headless browsers and command-line clients, for trying out a
   * program.
   */
  readonly countTools?: boolean;
}

const TOOLS = /headless|curl|wget|httpie|undici|^node|axios|playwright|puppeteer|python/;
const PREFETCH_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

const header = (headers: IncomingHttpHeaders, name: string): string =>
  String(headers[name] ?? '').toLowerCase();

/** Does the browser ask for the page before the visitor clicks? */
export const isPrefetch = (headers: IncomingHttpHeaders): boolean =>
  PREFETCH_HEADERS.some((name) => /prefetch|prerender|preview/.test(header(headers, name)));

/** Why a visitor is ignored, on pages and at the endpoint. */
export function ignoredVisitor({ headers, fields, countTools = false }: ClickRequest): SkipReason | null {
  if (isOptedOut(headers, fields)) return 'opt_out';
  if (header(headers, 'sec-gpc') === '1') return 'privacy_control';
  if (isPrefetch(headers)) return 'prefetch';
  if (isDeclared(fields['bot'])) return 'bot';
  const agent = header(headers, 'user-agent').trim();
  if (agent === '') return 'no_agent';
  if (countTools && TOOLS.test(agent)) return null;
  return isbot(agent) ? 'bot' : null;
}

/**
 * Why a page view is no click: HEAD requests, images, frames and scripts, and every visitor that is ignored.
 */
export function ignoredPage(request: ClickRequest): SkipReason | null {
  if (request.method === 'HEAD') return 'head';
  return ignoredVisitor(request) ?? (isDocument(request) ? null : 'not_document');
}

/**
 * On secure pages browsers send the destination. Without it the request must ask for HTML by name, which
 * requests for images and scripts do not.
 */
function isDocument({ headers, countTools = false }: ClickRequest): boolean {
  const destination = header(headers, 'sec-fetch-dest');
  if (destination !== '') return destination === 'document';
  const accepted = header(headers, 'accept');
  return (
    /text\/html|application\/xhtml\+xml/.test(accepted) || (countTools && /^(?:\*\/\*)?$/.test(accepted))
  );
}

function isOptedOut(headers: IncomingHttpHeaders, fields: Readonly<Record<string, unknown>>): boolean {
  return isDeclared(headers['no-track'] ?? headers['x-no-track'] ?? fields['no-track']);
}

/** `?bot` and `?bot=1` are true, `?bot=0` is not. */
const isDeclared = (value: unknown): boolean =>
  value !== undefined && !(typeof value === 'string' && /^(0|no|false)$/i.test(value));
