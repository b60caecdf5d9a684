import { systemClock } from './clock.js';

export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

const ignore = (): void => undefined;

export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** The default: warnings and errors as JSON lines on stderr, the rest dropped. */
export const consoleLogger: Logger = {
  debug: ignore,
  info: ignore,
  warn: (message, fields) => writeLine('warn', message, fields),
  error: (message, fields) => writeLine('error', message, fields),
};

function writeLine(level: string, message: string, fields: LogFields = {}): void {
  process.stderr.write(
    `${toLine({ time: new Date(systemClock.now()).toISOString(), ...fields, level, message })}\n`,
  );
}

// A log call must never fail the operation it reports on, with any fields.
function toLine(entry: LogFields): string {
  try {
    return JSON.stringify(entry, plain);
  } catch {
    return JSON.stringify({ level: entry['level'], message: entry['message'], fields: 'not serializable' });
  }
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Error
    ? Object.assign({}, value, {
        name: value.name,
        message: value.message,
        stack: value.stack,
        cause: value.cause,
      })
    : value;
}
