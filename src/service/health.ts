import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BuiltApp } from './build-app.js';
import { toIso } from '../core/dates.js';
import { HOUR, SECOND } from '../core/duration.js';
import { sendJson } from '../platform/http/reply.js';
import type { Start } from './start.js';

/** How long a result is cached, so that probes cost the database nothing. */
const FRESH = 2 * SECOND;
/** Jobs that run every few seconds count as late after this time. */
const JOBS_LATE = HOUR;

/** The state of a process, for load balancers and probes. It holds nothing about the program. */
export interface Health {
  /** `ready`: requests are served. Otherwise the reason why not. */
  readonly status: 'ready' | 'starting' | 'database_away' | 'closed';
  readonly database: 'ok' | 'away';
  /** `newer`: a newer version has changed the tables. */
  readonly schema: 'current' | 'newer' | 'unknown';
  /** `late`: no job has run for an hour, in any process. Requests are served all the same. */
  readonly jobs: 'ok' | 'late' | 'unknown';
  readonly checked_at: string;
}

interface Parts {
  readonly built: BuiltApp;
  readonly start: Start;
  readonly isClosed: () => boolean;
}

/** Makes `service.health`: at most one look at the database every two seconds. */
export function createHealth({ built, start, isClosed }: Parts): () => Promise<Health> {
  const { app, database } = built;
  let last: { readonly at: number; readonly health: Promise<Health> } | undefined;

  async function look(now: number): Promise<Health> {
    const unknown = { schema: 'unknown', jobs: 'unknown', checked_at: toIso(now) } as const;
    if (isClosed()) return { ...unknown, status: 'closed', database: 'away' };
    await start.forRequest().catch(() => {}); // logged; it also starts again what could not start
    if (!start.isDone) return { ...unknown, status: 'starting', database: 'away' };
    try {
      return await app.limited('tracking', async () => {
        const newer = await database.newerSteps();
        const at = await lastJob(built);
        return {
          status: 'ready',
          database: 'ok',
          schema: newer.length === 0 ? 'current' : 'newer',
          jobs: at === null ? 'unknown' : now - at < JOBS_LATE ? 'ok' : 'late',
          checked_at: toIso(now),
        };
      });
    } catch {
      return { ...unknown, status: 'database_away', database: 'away' };
    }
  }

  return () => {
    const now = app.clock.now();
    if (last === undefined || Math.abs(now - last.at) >= FRESH || isClosed())
      last = { at: now, health: look(now) };
    return last.health;
  };
}

/** When a job last ran; null before the first. */
async function lastJob({ app }: BuiltApp): Promise<number | null> {
  const [row] = await app.db.readLocal(
    `select max(last_run_at) as at from ${app.db.name('job_leases')} where name like ?`,
    ['job:%'],
  );
  return row?.['at'] == null ? null : Number(row['at']);
}

/** `GET /health` answers 200 when requests are served, else 503; `GET /health/live` always 200. */
export const healthHandler =
  (health: () => Promise<Health>) =>
  (req: IncomingMessage, res: ServerResponse, next: () => void): void => {
    const [path] = (req.url ?? '/').split('?');
    if (req.method !== 'GET' && req.method !== 'HEAD') return next();
    res.setHeader('Cache-Control', 'no-store');
    if (path === '/live') sendJson(res, 200, { status: 'live' });
    else if (path === '/' || path === '')
      void health().then((response) => {
        sendJson(res, response.status === 'ready' ? 200 : 503, response);
      });
    else next();
  };

const word = (...words: readonly string[]): object => ({ type: 'string', enum: words });

const STATE = {
  type: 'object',
  required: ['status', 'database', 'schema', 'jobs', 'checked_at'],
  properties: {
    status: word('ready', 'starting', 'database_away', 'closed'),
    database: word('ok', 'away'),
    schema: word('current', 'newer', 'unknown'),
    jobs: word('ok', 'late', 'unknown'),
    checked_at: { type: 'string' },
  },
};
const LIVE = { type: 'object', required: ['status'], properties: { status: word('live') } };

const probe = (id: string, summary: string, schema: object, more: object = {}): object => ({
  get: {
    operationId: id,
    summary,
    description: `${summary}. For health probes. No authentication required.`,
    tags: ['system'],
    security: [],
    responses: {
      200: { description: 'Success.', content: { 'application/json': { schema } } },
      404: { description: "The service isn't mounted here." },
      ...more,
    },
  },
});

/** Both paths in the OpenAPI document. */
export const healthPaths = {
  '/health': probe('system.health', 'Check whether this process is ready to serve requests', STATE, {
    503: { description: 'Not ready.', content: { 'application/json': { schema: STATE } } },
  }),
  '/health/live': probe('system.live', 'Check whether this process is running', LIVE),
};
