import { expect, it } from '@jest/globals';
import { seeded, SEED } from '../support/seed.js';
import { payersProof } from './payers.mjs';

const ENGINES = ['sqlite', 'postgres', 'mysql'] as const;
const engine = ENGINES.find((name) => name === process.env['TEST_DATABASE']) ?? 'sqlite';

// `npm run test:release -- payers` takes 2,000 payments and 100 kills.
it('pays everybody once, whatever crashes and however the payer behaves', async () => {
  const size = { payments: 100, processes: 3, kills: 8, random: seeded(SEED), seconds: 120 };
  const found = await payersProof(engine, size);

  expect(found.problems).toEqual([]);
  expect(found.kills).toBe(8);
  expect(found.rounds).not.toBeNull();
  expect(found.paid + found.returned).toBe(100);
}, 300_000);
