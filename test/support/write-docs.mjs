// `npm run docs`: writes the generated parts of docs/reference.md, the programs of docs/hosts.md and the whole of
// hooks/README.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { hooksReadme } from '../../hooks/readme.ts';
import { withPrograms, withTables } from './docs.ts';

const root = new URL('../../', import.meta.url);
const reference = new URL('docs/reference.md', root);
writeFileSync(reference, withTables(readFileSync(reference, 'utf8')));
const hosts = new URL('docs/hosts.md', root);
writeFileSync(
  hosts,
  withPrograms(readFileSync(hosts, 'utf8'), (path) => readFileSync(new URL(path, root), 'utf8')),
);
writeFileSync(new URL('hooks/README.md', root), hooksReadme());
