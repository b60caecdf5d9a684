import type { IncomingHttpHeaders } from 'node:http';
import { isbot } from 'isbot';
import type { SkipReason } from './types.js';

/** What of a request decides whether it can be a person's click. */
export interface ClickRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed query or body, where `no-track` and `bot` may stand. */
  readonly fields: Readonly<Record<string, unknown>>;
  /**
   * Option `tracking.countTools`: headless browsers and command-line clients count, for trying a program out.
   */
  readonly countTools?: boolean;
}

const TOOLS = /headless|curl|wget|httpie|undici|^node|axios|playwright|puppeteer|python/;
const PREFETCH_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

const header = (headers: IncomingHttpHeaders, name: string): string =>
  String(headers[name] ?? '').toLowerCase();

/** Reasons that hold for pages and for the endpoint alike. */
export function ignoredVisitor({ headers, fields, countTools = false }: ClickRequest): SkipReason | null {
  if (isOptedOut(headers, fields)) return 'opt_out';
  if (header(headers, 'sec-gpc') === '1') return 'privacy_control';
  if (PREFETCH_HEADERS.some((name) => /prefetch|prerender|preview/.test(header(headers, name))))
    return 'prefetch';
  if (isSaid(fields['bot'])) return 'bot';
  const agent = header(headers, 'user-agent').trim();
  if (agent === '') return 'no_agent';
  if (countTools && TOOLS.test(agent)) return null;
  return isbot(agent) ? 'bot' : null;
}

/** A page view that is no click: HEAD, images, frames, scripts, and everything that is no person. */
export function ignoredPage(request: ClickRequest): SkipReason | null {
  if (request.method === 'HEAD') return 'head';
  return ignoredVisitor(request) ?? (isDocument(request) ? null : 'not_document');
}

/**
 * Browsers name the destination on secure pages; without it the request must ask for HTML by name,
 * which images and scripts do not.
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
  return isSaid(headers['no-track'] ?? headers['x-no-track'] ?? fields['no-track']);
}

/** `?bot`, `?bot=1`, but not `?bot=0`. */
const isSaid = (said: unknown): boolean =>
  said !== undefined && !(typeof said === 'string' && /^(0|no|false)$/i.test(said));
