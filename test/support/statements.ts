import type { TestApp } from './app.js';

/** The statements that the database gets during `work`; no response shows how many a request needs. */
export async function statementsOf(
  t: Pick<TestApp, 'app'>,
  work: () => PromiseLike<unknown>,
): Promise<string[]> {
  const statements: string[] = [];
  const listen = ({ sql }: { readonly sql: string }): void => {
    statements.push(sql);
  };
  const { knex } = t.app.db;
  knex.on('query', listen);
  try {
    await work();
  } finally {
    knex.removeListener('query', listen);
  }
  return statements;
}
