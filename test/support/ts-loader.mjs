// Lets a child process run the TypeScript sources: `node --import ./test/support/ts-loader.mjs file.ts`.
import * as module from 'node:module';
import * as hooks from './ts-hooks.mjs';

// Node 22.14 knows hooks in a thread of their own only, which every message has to reach.
if (module.registerHooks) module.registerHooks(hooks);
else module.register('./ts-hooks.mjs', import.meta.url);
