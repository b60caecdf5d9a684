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
  testRunner: '<rootDir>/test/support/plain-runner.mjs',
  transform: {}, // Node loads the files itself: test/support/ts-loader.mjs
  setupFilesAfterEnv: ['<rootDir>/test/support/each-file.ts'],
  testSequencer: '<rootDir>/test/support/sequencer.mjs',
  testTimeout: 180_000,
  workerGracefulExitTimeout: 10_000, // a process of tests that has grown to a gigabyte takes a second to free it
  maxWorkers: '100%',
};
