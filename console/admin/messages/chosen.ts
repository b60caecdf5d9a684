const KEY = 'affiliate:chosen';

/** Ids for an address: as they are, or a word for a long list that this tab keeps. */
export function saveChosen(ids: readonly number[]): string {
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
