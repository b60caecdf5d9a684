// Writes client/operations.ts and console/shared/records.ts: `npm run build:client`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { allRoutes } from '../../src/app/routes.ts';
import { recordsText } from './console-records.ts';
import { operationsText } from './operations.ts';

write('client/operations.ts', operationsText(allRoutes()));
write('console/shared/records.ts', recordsText());

function write(path, text) {
  const file = new URL(`../../${path}`, import.meta.url);
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}
