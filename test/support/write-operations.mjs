// Writes client/operations.ts: `npm run build:client`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { allRoutes } from '../../src/routes.ts';
import { operationsText } from './operations.ts';

const file = new URL('../../client/operations.ts', import.meta.url);
const text = operationsText(allRoutes());
if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
