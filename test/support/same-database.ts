import { startApp, type TestApp, type TestOptions } from './app.js';

/** Another service on the rows of this one: a restart, or a second process with other options. */
export const startBeside = (t: Pick<TestApp, 'app'>, options: TestOptions = {}): Promise<TestApp> =>
  startApp({ ...options, keep: true, database: t.app.db.knex });
