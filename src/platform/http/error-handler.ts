import type { ServerResponse } from 'node:http';
import { fieldName, fieldNameFirst } from '../../core/field-name.js';
import { AffiliateError, type FieldErrors } from '../../errors.js';
import { HookVeto } from '../../core/hook-veto.js';
import type { Platform } from '../platform.js';
import { sendJson } from './reply.js';

const MAX_FIELDS = 100;
const RETRY_SECONDS: Readonly<Record<number, number>> = { 429: 60, 503: 2 };

const ROUTES = new WeakMap<ServerResponse, string>();

/** Stores for the log which route responds. */
export function noteRoute(res: ServerResponse, id: string): void {
  ROUTES.set(res, id);
}

/**
 * Writes every error body. Below 500 the caller gets the reason; from 500 on the caller gets a fixed text and
 * the cause is logged.
 */
export function sendError(app: Platform, res: ServerResponse, thrown: unknown): void {
  const error = known(app, thrown);
  if (error.status >= 500) logFailure(app, res, error);
  if (res.headersSent) {
    // A part of an export was already sent: only a broken connection shows the client that the rest is
    // missing.
    res.destroy();
    return;
  }
  const retryAfter = error.retryAfter ?? RETRY_SECONDS[error.status];
  if (retryAfter !== undefined) res.setHeader('Retry-After', String(retryAfter));
  // the rest of the body is not read, or the process stops: the next request takes another connection
  if (error.status === 413 || error.status === 414 || error.code === 'service_closed')
    res.setHeader('Connection', 'close');
  const body = errorBody(error);
  const message = app.options.compat !== undefined && error.fields && namedFields(error.fields);
  sendJson(res, error.status, message ? { ...body, message } : body);
}

function logFailure(app: Platform, res: ServerResponse, error: AffiliateError): void {
  const context = app.context.current();
  app.log.error('request failed', {
    request_id: res.getHeader('X-Request-Id') ?? context.requestId,
    route: ROUTES.get(res) ?? context.route,
    code: error.code,
    error: error.cause ?? error,
  });
}

/** The error as callers may see it: a failure of the database becomes `busy` or `outcome_unknown`. */
export function known(app: Platform, thrown: unknown): AffiliateError {
  if (thrown instanceof AffiliateError) return thrown;
  if (thrown instanceof HookVeto)
    return new AffiliateError('hook_aborted', { message: thrown.message, status: thrown.status });
  if (isUndecodable(thrown)) return new AffiliateError('rest_no_route');
  return new AffiliateError(infrastructureCode(app, thrown), { cause: thrown });
}

function infrastructureCode(app: Platform, thrown: unknown): 'busy' | 'outcome_unknown' | 'internal_error' {
  const failure = app.db.dialect.failure(thrown);
  if (failure === 'timeout' || failure === 'full') return 'busy';
  return failure === 'busy' || failure === 'outcome_unknown' ? failure : 'internal_error';
}

// Decoding a segment such as `%zz` throws this error; to callers such an address does not exist.
const isUndecodable = (thrown: unknown): boolean => thrown instanceof URIError;

function errorBody(error: AffiliateError): Record<string, unknown> {
  const fields = error.fields && limited(error.fields);
  return {
    ...fields,
    ...error.extra,
    code: error.code,
    message: error.message,
    ...(fields && { errors: fields }),
    data: { status: error.status, ...error.data },
  };
}

/**
 * The plugin's app shows the message alone, so each sentence that does not name its field begins with it: `The cookie
 * duration: Use a whole number.`
 */
const namedFields = (fields: FieldErrors): string =>
  Object.entries(limited(fields))
    .map(([field, rules]) => named(field, Object.values(rules)[0] ?? ''))
    .join(' ');

function named(field: string, sentence: string): string {
  const name = fieldName(field).replace(/^the /, '').toLowerCase();
  return sentence.toLowerCase().includes(name) ? sentence : `${fieldNameFirst(field)}: ${sentence}`;
}

const limited = (fields: FieldErrors): FieldErrors =>
  Object.fromEntries(Object.entries(fields).slice(0, MAX_FIELDS));
