import { createMemoryHost } from '../../adapters/memory-host.js';
import { buildApp, type BuiltApp } from '../../src/service/build-app.js';
import { resolveOptions } from '../../src/options.js';
import type { AffiliateServiceOptions } from '../../src/service/service.js';

export interface Order {
  readonly id: number;
  readonly kind: 'process' | 'churn' | 'delete' | 'bulk';
  readonly times: number;
  /** Ends the process by SIGKILL at this statement of the order, before it is sent or after its answer. */
  readonly at?: number;
  readonly when?: 'before' | 'after';
}
export interface Outcome {
  readonly id: number;
  readonly codes: readonly string[];
}

const USERS = 60;

export async function openBooks(
  database: NonNullable<AffiliateServiceOptions['database']>,
): Promise<BuiltApp> {
  const host = createMemoryHost({
    users: Array.from({ length: USERS }, (_, at) => ({
      id: at + 1,
      login: `u${at + 1}`,
      email: `u${at + 1}@shop.test`,
    })),
  });
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const built = buildApp(
    host,
    resolveOptions({
      database,
      jobs: false,
      logger: quiet,
      secret: 'a secret that is long enough for the tests',
    }),
  );
  built.secrets.bind('races');
  await built.database.prepare();
  return built;
}
