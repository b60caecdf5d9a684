// What test/support/plain-runner.mjs registers: names that mean something else in tests, and a copy of what stands below
// test/ for each file of tests, told apart by the query of its address.
const TEST = new URL('../', import.meta.url).href;
const NAMES = {
  '@jest/globals': new URL('jest-globals.mjs', import.meta.url).href,
  // Parts of the examples are tested against the sources they name by package.
  'affiliate-service': new URL('../../src/index.ts', import.meta.url).href,
  'affiliate-service/adapters': new URL('../../adapters/index.ts', import.meta.url).href,
};

export function resolve(specifier, context, next) {
  const named = NAMES[specifier] ?? specifier;
  const file = context.parentURL?.match(/\?file=\d+$/)?.[0];
  if (file === undefined || !/^(?:\.{1,2}\/|file:)/.test(named)) return next(named, context);
  const url = new URL(named, context.parentURL);
  if (url.href.startsWith(TEST)) url.search = file;
  return next(url.href, context);
}
