// What test/support/plain-runner.mjs registers: names that mean something else in tests.
const NAMES = {
  '@jest/globals': './jest-globals.mjs',
  // Parts of the examples are tested against the sources they name by package.
  'affiliate-service': '../../src/index.ts',
  'affiliate-service/adapters': '../../adapters/index.ts',
};

export function resolve(specifier, context, next) {
  const file = NAMES[specifier];
  return next(file === undefined ? specifier : new URL(file, import.meta.url).href, context);
}
