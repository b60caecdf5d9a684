// Jest's own test runner (jest-circus) in plain Node instead of a vm context: Node itself loads the files of tests,
// and what they import is loaded once for all files of a process.
import * as module from 'node:module';
import { pathToFileURL } from 'node:url';
import { ModuleMocker } from 'jest-mock';
import * as hooks from './test-hooks.mjs';

const require = module.createRequire(import.meta.url);
const circus = require('jest-circus/runner').default;

if (module.registerHooks) module.registerHooks(hooks);
else module.register('./test-hooks.mjs', import.meta.url); // Node 22.14

const TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');
const HANDLERS = Symbol.for('EVENT_HANDLERS');
let files = 0;

export default async function runFile(globalConfig, config, _environment, _runtime, path, sendMessage) {
  process.setSourceMapsEnabled(true); // stacks name the lines of the TypeScript
  Error.prepareStackTrace = undefined;
  Error.stackTraceLimit = 10; // jest asks for 100, which makes every error cost more
  globalThis.jest = jestObject();
  delete globalThis[TIMEOUT];
  delete globalThis[HANDLERS];
  files += 1;
  const runtime = {
    requireInternalModule: requireAnew,
    requireModule: require,
    setGlobalsForRuntime: () => {},
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (file) => import(`${pathToFileURL(file)}?file=${files}`).catch(showPlace),
    enterTestCode: () => {},
    leaveTestCode: () => {},
  };
  return circus(globalConfig, config, { global: globalThis }, runtime, path, sendMessage);
}

/** What tests use of `jest`. */
function jestObject() {
  const mocks = new ModuleMocker(globalThis);
  return {
    fn: mocks.fn.bind(mocks),
    spyOn: mocks.spyOn.bind(mocks),
    restoreAllMocks: mocks.restoreAllMocks.bind(mocks),
    setTimeout: (ms) => {
      globalThis[TIMEOUT] = ms;
    },
  };
}

/** Of a stack Jest leaves out what no function called: the line of a file that throws while it is loaded. */
function showPlace(error) {
  if (error instanceof Error) error.stack = error.stack?.replaceAll('at <anonymous> (', 'at import (');
  throw error;
}

/** Jest-circus keeps the tests of a file where it is loaded. */
function requireAnew(file) {
  delete require.cache[file];
  return require(file);
}
