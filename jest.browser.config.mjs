import base from './jest.config.mjs';

// The tests in a browser: Debian's Chromium, the built package, one file after
// another (`npm run test:browser`).
export default {
  ...base,
  roots: ['<rootDir>/test/browser'],
  testPathIgnorePatterns: [],
  testTimeout: 180_000,
  maxWorkers: 1,
};
