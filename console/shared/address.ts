import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';

/** Whether the path matches a pattern such as `/affiliates/:id`. */
export const matches = (pattern: string, path: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`).test(path);

export interface Address {
  /** The value in the URL, or the fallback. */
  get(name: string, fallback?: string): string;
  /** Changes values in the URL; empty ones are removed. `replace` adds no history entry. */
  set(
    patch: Readonly<Record<string, string | number | null | undefined>>,
    options?: { replace?: boolean },
  ): void;
  readonly search: string;
}

/** The open record of a list: its ID, `new` or empty; stored in the URL. */
export function useOpenRecord(): readonly [string, (id: number | string | null) => void] {
  const address = useAddress();
  return [address.get('open'), (id) => address.set({ open: id })];
}

/** The state of a screen is stored in the URL, so reload, Back, Forward and a shared link show the same. */
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
