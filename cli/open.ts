import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { connectionOf } from '../adapters/database/source.js';
import type { HostAdapter } from '../adapters/host.js';
import type { AffiliateService, AffiliateServiceOptions, Logger } from '../src/index.js';
import type { App } from '../src/app/app.js';
import { openPassingService } from '../src/service/service.js';
import { required, usage, type Flags } from './arguments.js';
import type { Terminal } from './print.js';

export interface OpenedService {
  readonly service: AffiliateService;
  readonly app: App;
}

/** The service that the commands use: with the database of the flags, without jobs and requests. */
export async function openService(flags: Flags, options: AffiliateServiceOptions): Promise<OpenedService> {
  refuseMissingFile(flags, options);
  const { service, app } = openPassingService(await hostOf(flags), {
    jobs: false,
    database: connectionOf(required(flags, 'database')),
    tablePrefix: flags['table-prefix'] ?? 'fa_',
    currency: flags.currency ?? 'USD',
    ...options,
  });
  try {
    await service.ready();
  } catch (error) {
    await service.close();
    throw error;
  }
  return { service, app };
}

/** Works with the service and closes it; its warnings go to the terminal. Without `migrate`, the tables must exist. */
export async function withService<T>(
  flags: Flags,
  terminal: Terminal,
  work: (opened: OpenedService) => Promise<T>,
  options: AffiliateServiceOptions = { migrate: false },
): Promise<T> {
  const logger = terminalLogger((line) => terminal.err(line));
  const opened = await openService(flags, { logger, ...options });
  try {
    return await work(opened);
  } finally {
    await opened.service.close();
  }
}

/** Opening a file that does not exist would make an empty one. */
export function refuseMissingFile(flags: Flags, { migrate }: Pick<AffiliateServiceOptions, 'migrate'>): void {
  const { client, connection } = connectionOf(required(flags, 'database'));
  if (client === 'better-sqlite3' && connection.includes('://'))
    usage('--database is mysql://…, postgres://… or a SQLite file.');
  if (migrate === false && client === 'better-sqlite3' && !existsSync(connection))
    usage('The file of --database does not exist.');
}

async function hostOf(flags: Flags): Promise<HostAdapter> {
  if (flags.host === undefined) return nobody(flags.zone ?? 'UTC');
  const loaded = (await import(pathToFileURL(resolve(flags.host)).href)) as {
    default?: unknown;
    host?: unknown;
  };
  const given = loaded.default ?? loaded.host;
  const host: unknown = typeof given === 'function' ? await (given as () => unknown)() : given;
  if (typeof host !== 'object' || host === null || !('users' in host))
    usage(
      `${flags.host} exports no host adapter. Export it, or a function that creates it, as default or \`host\`.`,
    );
  return host as HostAdapter;
}

/** A host for commands that need no users. */
const nobody = (timeZone: string): HostAdapter => ({
  site: () => ({ url: 'http://localhost', name: 'Command line', timeZone, restPrefix: '/' }),
  currentUser: async () => null,
  can: async () => false,
  nonces: { create: async () => '', verify: async () => false },
  users: { find: async () => [], search: async () => [] },
});

/** Prints warnings and errors to the terminal, each once and without a stack, and drops the rest. */
export function terminalLogger(print: (line: string) => void): Logger {
  const printed = new Set<string>();
  const write = (text: string): void => {
    const line = firstLine(text);
    if (!printed.has(line)) print(`${line}\n`);
    printed.add(line);
  };
  return {
    debug: () => {},
    info: () => {},
    warn: (message, fields) => {
      write(`warning: ${message}${detail(fields)}`);
    },
    error: (message, fields) => {
      if (message.includes('could not start')) return; // a command does not try again, and prints why itself
      write(`error: ${message}${detail(fields)}`);
    },
  };
}

/** Drivers put a stack below their message. */
export const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

const detail = (fields: Readonly<Record<string, unknown>> | undefined): string => {
  const error = fields?.['error'];
  return error === undefined ? '' : `: ${error instanceof Error ? error.message : String(error)}`;
};
