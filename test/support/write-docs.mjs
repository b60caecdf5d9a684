// Writes the generated parts of README.md and the whole of hooks/README.md: `npm run docs`.
import { readFileSync, writeFileSync } from 'node:fs';
import { hooksReadme } from '../../hooks/readme.ts';
import { withTables } from './docs.ts';

const root = new URL('../../', import.meta.url);
const readme = new URL('README.md', root);
writeFileSync(readme, withTables(readFileSync(readme, 'utf8')));
writeFileSync(new URL('hooks/README.md', root), hooksReadme());
