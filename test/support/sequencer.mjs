import Sequencer from '@jest/test-sequencer';

/** Files that take longest, whatever their size: begun last, each would keep one worker busy alone. */
const FIRST = [
  'test/examples.test.ts',
  'test/races/payouts.test.ts',
  'test/attacks/statements.test.ts',
  'test/fuzz.test.ts',
  'test/modules/imports-kills.test.ts',
  'test/host-docs.test.ts',
  'test/model/histories.test.ts',
  'test/modules/money-sequences.test.ts',
  'test/database/threads.test.ts',
  'test/modules/imports-sources.test.ts',
  'test/access/matrix.test.ts',
  'test/model/money.test.ts',
  'test/cluster/processes.test.ts',
];

/** Jest's order (by the time a file took before, else by its size) after those above. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path }) => FIRST.findIndex((file) => path.endsWith(`/${file}`));
    const sorted = super.sort(tests);
    return [
      ...sorted.filter((test) => place(test) >= 0).sort((a, b) => place(a) - place(b)),
      ...sorted.filter((test) => place(test) < 0),
    ];
  }
}
