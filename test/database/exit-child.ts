// A process that exits while its database thread is in the driver, which the test writes to the folder given.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SqliteThread } from '../../adapters/database/sqlite-thread.js';

const folder = process.argv[2] ?? '';
const thread = new SqliteThread({ driver: join(folder, 'driver.cjs'), filename: ':memory:' });
const exitInDriver = (): void => {
  if (existsSync(join(folder, 'entered'))) process.exit(0);
  setTimeout(exitInDriver, 1);
};
exitInDriver();
await thread.ended;
