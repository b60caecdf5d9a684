import fc from 'fast-check';
import { SEED } from './seed.js';

// Every property of every test starts from the seed; a failing run prints it with
// the path to the counterexample.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });

export { fc };
