import { startProgram } from './program.js';

/** Next calls it once, when the server starts. */
export async function register() {
  if (process.env.NEXT_RUNTIME === 'nodejs') globalThis.affiliateProgram ??= startProgram();
}
