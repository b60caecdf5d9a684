import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Processes that tests start find what Node compiled for those before them.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('node_modules/.cache/affiliate-service/compiled/', import.meta.url),
);

// Debian: apt-get install nginx-light
process.env.TEST_NGINX ??=
  ['/usr/sbin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx'].find((path) => existsSync(path)) ??
  '';

export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/browser/', // they need a browser: jest.browser.config.mjs
    // It needs a real caching proxy.
    ...(process.env.TEST_NGINX ? [] : ['<rootDir>/test/modules/tracking-nginx.test.ts']),
  ],
  extensionsToTreatAsEsm: ['.ts'],
  // Parts of the examples are tested against the sources they name by package.
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^affiliate-service$': '<rootDir>/src/index.ts',
    '^affiliate-service/adapters$': '<rootDir>/adapters/index.ts',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
        sourceMaps: true,
      },
    ],
  },
  testSequencer: '<rootDir>/test/support/sequencer.mjs',
  testTimeout: 180_000,
  // Modules loaded in ESM mode are never freed: a worker that grew is replaced.
  workerIdleMemoryLimit: '1GB',
  maxWorkers: '100%',
};
