import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AffiliateServiceOptions } from 'affiliate-service';

export interface Environment {
  readonly port: number;
  /**
   * The address to listen on; the demo accounts have well-known passwords, so by default this machine only.
   */
  readonly hostname: string;
  /** Holds the CMS's own database, and the service's unless DATABASE_URL says otherwise. */
  readonly dataDir: string;
  readonly database: NonNullable<AffiliateServiceOptions['database']>;
  /** Four months of an invented program are made on the first start; without them the shop starts empty. */
  readonly demo: boolean;
  /** Without it mails are printed. */
  readonly smtp?: NonNullable<AffiliateServiceOptions['smtp']>;
}

const DATA_DIR = fileURLToPath(new URL('../data', import.meta.url));

/**
 * PORT, HOST, DATA_DIR, DEMO_DATA (`no` starts with an empty program), DATABASE_URL (`sqlite:file`,
 * `postgres://…`, `mysql://…`) and SMTP_URL (`smtp://user:pass@host:port`).
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Environment {
  const port = Number(env['PORT'] || 3000);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error('PORT must be a number from 0 to 65535');
  const dataDir = env['DATA_DIR'] || DATA_DIR;
  return {
    port,
    hostname: env['HOST'] || '127.0.0.1',
    dataDir,
    demo: env['DEMO_DATA'] !== 'no',
    database: readDatabase(env['DATABASE_URL'] || '', dataDir),
    ...readSmtp(env['SMTP_URL'] || ''),
  };
}

function readDatabase(url: string, dataDir: string): Environment['database'] {
  if (url === '') return { client: 'better-sqlite3', connection: join(dataDir, 'affiliates.sqlite') };
  const scheme = url.slice(0, url.indexOf(':'));
  if (scheme === 'sqlite')
    return { client: 'better-sqlite3', connection: url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/u, '') };
  if (scheme === 'postgres' || scheme === 'postgresql') return { client: 'pg', connection: url };
  if (scheme === 'mysql' || scheme === 'mariadb')
    return { client: 'mysql2', connection: url.replace(/^mariadb:/u, 'mysql:') };
  throw new Error('DATABASE_URL must start with sqlite:, postgres:// or mysql://');
}

function readSmtp(text: string): Pick<Environment, 'smtp'> {
  if (text === '') return {};
  const { protocol, hostname, port, username, password } = new URL(text);
  if (protocol !== 'smtp:' && protocol !== 'smtps:')
    throw new Error('SMTP_URL must start with smtp:// or smtps://');
  const auth =
    username === ''
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } };
  return {
    smtp: {
      host: hostname,
      ...(port === '' ? {} : { port: Number(port) }),
      secure: protocol === 'smtps:',
      ...auth,
    },
  };
}
