/** The list in parts of at most this many: a statement takes only so many values. */
export function* chunks<T>(list: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size);
}
