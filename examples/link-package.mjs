// The examples import `affiliate-service` as any project would.
// In this repository the name leads to the repository itself;
// npm refuses a package that depends on itself, so the build makes the link.
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const link = fileURLToPath(new URL('./node_modules/affiliate-service', import.meta.url));
mkdirSync(new URL('./node_modules', import.meta.url), { recursive: true });
if (!existsSync(link)) symlinkSync('../..', link, 'junction');
