/** The known name with the fewest differences; empty when none is known. */
export const nearest = (name: string, known: readonly string[]): string =>
  known.toSorted((a, b) => edits(name, a) - edits(name, b))[0] ?? '';

/** The same, if it is close enough to be a typing mistake or a part of the name; else null. */
export function nearMiss(name: string, known: readonly string[]): string | null {
  const longer = name.length > 3 && known.find((each) => each.startsWith(name));
  if (longer) return longer;
  const found = nearest(name, known);
  return found !== '' && edits(name, found) <= Math.max(2, Math.floor(name.length / 3)) ? found : null;
}

/** How many letters must be added, removed or changed (Levenshtein). */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}
