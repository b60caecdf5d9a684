import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';

/** Is this a path of the pattern, such as `/affiliates/:id`? */
export const matches = (pattern: string, path: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`).test(path);

export interface Address {
  /** The value in the address, or the fallback. */
  get(name: string, fallback?: string): string;
  /** Changes values; empty ones leave the address. `replace` makes no step back. */
  set(
    patch: Readonly<Record<string, string | number | null | undefined>>,
    options?: { replace?: boolean },
  ): void;
  readonly search: string;
}

/** What is open beside a list: the id of a row, `new`, or nothing; it stands in the address. */
export function useOpened(): readonly [string, (id: number | string | null) => void] {
  const address = useAddress();
  return [address.get('open'), (id) => address.set({ open: id })];
}

/** What a screen shows stands in its address: reload, back, forward and a shared link show the same. */
export function useAddress(): Address {
  const search = useSearch();
  const [path, go] = useLocation();
  const values = useMemo(() => new URLSearchParams(search), [search]);
  const set = useCallback<Address['set']>(
    (patch, options) => {
      const next = new URLSearchParams(search);
      for (const [name, value] of Object.entries(patch)) {
        if (value === null || value === undefined || value === '') next.delete(name);
        else next.set(name, String(value));
      }
      const text = next.toString();
      go(path + (text === '' ? '' : `?${text}`), { replace: options?.replace ?? false });
    },
    [search, path, go],
  );
  return { get: (name, fallback = '') => values.get(name) ?? fallback, set, search };
}
