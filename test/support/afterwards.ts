import { afterAll, afterEach } from '@jest/globals';

type Work = () => void | Promise<void>;
const afterTests: Work[] = [];
const afterFiles: Work[] = [];

// Files of test/support are loaded once for many files of tests, so they cannot say this themselves.

/** Done after every test. */
export const afterEachTest = (work: Work): number => afterTests.push(work);
/** Done after every file of tests. */
export const afterEachFile = (work: Work): number => afterFiles.push(work);

/** Called for each file of tests before it is loaded. */
export function announce(): void {
  afterEach(async () => {
    for (const work of afterTests) await work();
  });
  afterAll(async () => {
    for (const work of afterFiles) await work();
  });
}
