// `npm run docs`: writes the generated parts of docs/reference.md, the programs of docs/hosts.md, the table of
// docs/events.md, the drawings of docs/how-it-works.md and CONTRIBUTING.md, and the whole of hooks/README.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { hooksReadme } from '../../hooks/readme.ts';
import { withEvents, withPrograms, withTables } from './docs.ts';
import { flowPicture } from './flow-picture.ts';
import { structurePicture } from './structure-picture.ts';

const root = new URL('../../', import.meta.url);
const reference = new URL('docs/reference.md', root);
writeFileSync(reference, withTables(readFileSync(reference, 'utf8')));
const hosts = new URL('docs/hosts.md', root);
writeFileSync(
  hosts,
  withPrograms(readFileSync(hosts, 'utf8'), (path) => readFileSync(new URL(path, root), 'utf8')),
);
const events = new URL('docs/events.md', root);
writeFileSync(events, withEvents(readFileSync(events, 'utf8')));
writeFileSync(new URL('hooks/README.md', root), hooksReadme());
writeFileSync(new URL('docs/pictures/how-it-works.svg', root), flowPicture());
writeFileSync(new URL('docs/pictures/structure.svg', root), structurePicture());
