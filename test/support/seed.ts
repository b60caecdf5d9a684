/**
 * What random tests start from: always the same, so that a run can be repeated;
 * FUZZ_SEED or SEED asks for another.
 */
export const SEED = Number(process.env['FUZZ_SEED'] ?? process.env['SEED'] ?? 1);

/** Numbers from 0 to 1 (mulberry32), the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
