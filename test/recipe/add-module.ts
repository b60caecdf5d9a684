import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { ROOT } from '../support/sources.js';

const FOLDER = 'src/channels/greetings';

const FILES = {
  'deps.ts': `
import type { HooksOf } from '../../platform/hooks/fire.js';
import type { Platform } from '../../platform/platform.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import type { greetingHooks } from './hooks.js';

export interface Deps extends Platform {
  readonly hooks: HooksOf<typeof greetingHooks>;
  readonly affiliates: AffiliatesService;
}
`,
  'hooks.ts': `
import { isText } from '../../platform/hooks/checks.js';
import { after, defineHooks, filter } from '../../platform/hooks/line.js';
import type { Affiliate } from '../../program/affiliates/types.js';

export const greetingHooks = defineHooks(
  {
    greeting_text: filter<string, [affiliate: Affiliate]>(['affiliate'], 'The text of a greeting.', {
      check: isText,
    }),
    greetings_sent: after<[count: number]>(['count'], 'All affiliates were greeted.'),
  },
  { 'greeting.text': 'greeting_text', 'greeting.sent': 'greetings_sent' },
);
`,
  'service.ts': `
import { fail } from '../../errors.js';
import type { Deps } from './deps.js';

export class GreetingsService {
  sent = 0;

  constructor(private readonly app: Deps) {}

  async greet(id: number): Promise<string> {
    const affiliate = (await this.app.affiliates.find(id)) ?? fail('nobody_to_greet');
    return this.app.hooks.applyFilters('greeting_text', \`Hello affiliate \${affiliate.id}\`, affiliate);
  }

  async sendAll(): Promise<void> {
    this.sent += 1;
    await this.app.hooks.doAction('greetings_sent', this.sent);
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
import { byId } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { greetingHooks } from './hooks.js';
import { greetingRoutes } from './routes.js';
import { GreetingsService } from './service.js';

export const greetings = defineModule({
  name: 'greetings',
  Service: GreetingsService,
  hooks: greetingHooks,
  routes: greetingRoutes,
  jobs: [{ name: 'send-greetings', everyMs: 0, run: (service) => service.sendAll() }],
  api: (service) => byId(service, ['greet']),
});
`,
};

/** Copies these parts of the project, and adds a module there by the recipe of CONTRIBUTING.md. */
export function addModule(copy: string, parts: readonly string[]): void {
  for (const part of parts) cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  mkdirSync(join(copy, FOLDER));
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(copy, FOLDER, file), text.trimStart());

  const edit = (path: string, before: string, after: string): void => {
    const text = readFileSync(join(copy, path), 'utf8');
    expect(text.split(before)).toHaveLength(2);
    writeFileSync(join(copy, path), text.replace(before, after));
  };
  edit('src/app/modules.ts', '] as const;', '  greetings,\n] as const;');
  edit(
    'src/app/modules.ts',
    'import { guide }',
    "import { greetings } from '../channels/greetings/index.js';\nimport { guide }",
  );
  edit(
    'src/errors.ts',
    '  // setup guide\n',
    "  nobody_to_greet: [404, 'No affiliate to greet.'],\n  // setup guide\n",
  );
}
