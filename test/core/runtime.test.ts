import { describe, expect, it } from '@jest/globals';
import { nodeProblem, sqliteDriverProblem } from '../../src/core/runtime.js';

describe('the Node it runs on', () => {
  it.each(['20.20.2', 'v20.19.0', '18.0.0', '22.13.1', '22.12.0'])(
    'refuses %s in a sentence that says what to install',
    (version) => {
      expect(nodeProblem(version)).toBe(
        `affiliate-service needs Node 22.14 or newer, and this is ${version}. Install the current LTS release of Node.`,
      );
    },
  );

  it.each(['22.14.0', '22.23.0', 'v24.0.0', '24.21.0', '26.1.0'])('takes %s', (version) => {
    expect(nodeProblem(version)).toBeNull();
  });
});

describe('better-sqlite3', () => {
  it.each([
    ['12.11.1', '24.19.0'],
    ['11.0.0', 'v24.21.0'],
    ['12.11.1', '26.0.0'],
  ])('refuses %s on Node %s and names the version to install', (driver, node) => {
    expect(sqliteDriverProblem(driver, node)).toBe(
      `better-sqlite3 ${driver} ends the process on Node ${node}. Install better-sqlite3 13 or newer: ` +
        'npm install better-sqlite3@13',
    );
  });

  it.each([
    ['13.0.0', '24.21.0'],
    ['13.2.0', '26.0.0'],
    ['12.11.1', '24.18.0'],
    ['12.11.1', '22.23.0'],
  ])('takes %s on Node %s', (driver, node) => {
    expect(sqliteDriverProblem(driver, node)).toBeNull();
  });
});
