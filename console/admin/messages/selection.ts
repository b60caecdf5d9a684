const KEY = 'affiliate:chosen';

/** IDs for a URL: the list itself, or a key for a long list that is stored in this tab. */
export function saveSelection(ids: readonly number[]): string {
  const text = ids.join('.');
  if (ids.length <= 100) return text;
  sessionStorage.setItem(KEY, text);
  return 'kept';
}

export const chosenIds = (given: string): readonly number[] =>
  (given === 'kept' ? (sessionStorage.getItem(KEY) ?? '') : given)
    .split('.')
    .map(Number)
    .filter((id) => Number.isSafeInteger(id) && id > 0);
