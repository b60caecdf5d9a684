// What `@jest/globals` stands for in plain Node. Files that several tests import are loaded once,
// and each file of tests has functions of its own: these lead to them.
const current = (name) =>
  new Proxy(() => {}, {
    apply: (_function, _this, args) => globalThis[name](...args),
    get: (_function, key) => globalThis[name][key],
  });

export const [afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test] = [
  'afterAll',
  'afterEach',
  'beforeAll',
  'beforeEach',
  'describe',
  'expect',
  'it',
  'jest',
  'test',
].map(current);
