import { SECOND } from '../core/duration.js';
import type { Clock } from '../core/clock.js';
import type { LogFields, Logger } from '../core/logger.js';
import type { CallContext } from './call-context.js';

/** A line is logged at most so often in a window; then only the number of its repeats. */
const WINDOW = 10 * SECOND;
const MOST = 10;
/** How many different lines are stored at once. */
const REMEMBERED = 200;

interface Parts {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly current: () => CallContext | undefined;
}

/**
 * The host's logger with the id and route of the request added to each line. An outage repeats the same line many
 * times a second: these are counted.
 */
export function contextLogger({ logger, clock, current }: Parts): Logger {
  const seen = new Map<string, { since: number; count: number }>();

  function repeatsOf(level: string, message: string): number | null {
    const now = clock.now();
    const key = `${level} ${message}`;
    const known = seen.get(key);
    if (known === undefined || Math.abs(now - known.since) >= WINDOW) {
      seen.delete(key);
      if (seen.size >= REMEMBERED) seen.delete(seen.keys().next().value!);
      seen.set(key, { since: now, count: 1 });
      return known === undefined ? 0 : Math.max(0, known.count - MOST);
    }
    known.count += 1;
    return known.count > MOST ? null : 0;
  }

  const write =
    (level: 'warn' | 'error') =>
    (message: string, fields?: LogFields): void => {
      const left = repeatsOf(level, message);
      if (left === null) return;
      logger[level](message, {
        ...requestOf(current()),
        ...(left > 0 && { repeated_before: left }),
        ...fields,
      });
    };
  const pass =
    (level: 'debug' | 'info') =>
    (message: string, fields?: LogFields): void => {
      logger[level](message, { ...requestOf(current()), ...fields });
    };
  return { debug: pass('debug'), info: pass('info'), warn: write('warn'), error: write('error') };
}

const requestOf = (context: CallContext | undefined): LogFields =>
  context === undefined
    ? {}
    : { request_id: context.requestId, ...(context.route !== undefined && { route: context.route }) };
