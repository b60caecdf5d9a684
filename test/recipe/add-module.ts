import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { ROOT } from '../support/sources.js';

const FOLDER = 'src/channels/greetings';

const FILES = {
  'deps.ts': `
import type { Platform } from '../../platform/platform.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';

export interface Deps extends Platform {
  readonly affiliates: AffiliatesService;
}
`,
  'service.ts': `
import { fail } from '../../errors.js';
import type { Deps } from './deps.js';

export class GreetingsService {
  sent = 0;

  constructor(private readonly app: Deps) {}

  async greet(id: number): Promise<string> {
    const affiliate = (await this.app.affiliates.find(id)) ?? fail('affiliate_not_found');
    return \`Hello affiliate \${affiliate.id}\`;
  }

  async sendAll(): Promise<void> {
    this.sent += 1;
  }
}
`,
  'routes.ts': `
import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { idParams, integer, object, string } from '../../platform/http/schema.js';
import type { GreetingsService } from './service.js';

export interface RouteDeps {
  readonly greetings: GreetingsService;
}
const defineRoute = routesFor<RouteDeps>('greetings');

export const greetingRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'greetings.get',
    method: 'get',
    paths: ['/greetings/:id'],
    access: policies.section('affiliates'),
    summary: 'Greet an affiliate',
    params: idParams,
    response: object({ greeting: string, sent: integer }),
    handler: async ({ app, params }) => ({
      greeting: await app.greetings.greet(params.id),
      sent: app.greetings.sent,
    }),
  }),
];
`,
  'index.ts': `
import { defineModule } from '../../platform/module.js';
import { greetingRoutes } from './routes.js';
import { GreetingsService } from './service.js';

export const greetings = defineModule({
  name: 'greetings',
  Service: GreetingsService,
  routes: greetingRoutes,
  jobs: [{ name: 'send-greetings', everyMs: 0, run: (service) => service.sendAll() }],
});
`,
};

/** Copies these parts of the project, and adds a module there by the recipe of CONTRIBUTING.md. */
export function addModule(copy: string, parts: readonly string[]): void {
  for (const part of parts) cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  mkdirSync(join(copy, FOLDER));
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(copy, FOLDER, file), text.trimStart());

  const list = join(copy, 'src/modules.ts');
  const text = readFileSync(list, 'utf8');
  expect(text.split('] as const;')).toHaveLength(2);
  writeFileSync(
    list,
    `import { greetings } from './channels/greetings/index.js';\n${text.replace('] as const;', '  greetings,\n] as const;')}`,
  );
}
