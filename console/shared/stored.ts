import { useState } from 'react';

/** A preference of the user, stored in this browser. */
export function useStored<T>(name: string, initial: T): [T, (value: T) => void] {
  const key = `affiliate:${name}`;
  const [value, setValue] = useState<T>(() => read(key, initial));
  const save = (next: T): void => {
    setValue(next);
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      // Without storage it lasts until the page is closed.
    }
  };
  return [value, save];
}

/** The stored preference. */
export const storedOf = <T>(name: string, initial: T): T => read(`affiliate:${name}`, initial);

function read<T>(key: string, initial: T): T {
  try {
    const text = localStorage.getItem(key);
    return text === null ? initial : (JSON.parse(text) as T);
  } catch {
    return initial;
  }
}
