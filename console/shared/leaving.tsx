import { lazy, Suspense, useSyncExternalStore, type ReactNode } from 'react';
import { useBrowserLocation } from 'wouter/use-browser-location';
import { forgetUnsaved, hasUnsaved } from './unsaved.js';

const LeaveDialog = lazy(async () => ({ default: (await import('./leave-dialog.js')).LeaveDialog }));

let waiting: (() => void) | null = null;
const listeners = new Set<() => void>();
const put = (go: (() => void) | null): void => {
  waiting = go;
  for (const listener of listeners) listener();
};

/** The screen, its tab and what is open on it; a filter leaves a form where it is. */
function placeOf(address: string): string {
  const [path, query] = address.split('?');
  const values = new URLSearchParams(query);
  return [path, ...['tab', 'open', 'mail'].map((name) => values.get(name) ?? '')].join(' ');
}

/** The browser's address, but a form with changes is not left without asking. */
export const useGuardedLocation: typeof useBrowserLocation = (options) => {
  const [path, go] = useBrowserLocation(options);
  const guarded: typeof go = (to, how) => {
    const target = typeof to === 'string' ? to : to.pathname;
    if (hasUnsaved() && placeOf(target) !== placeOf(location.pathname + location.search))
      put(() => go(to, how));
    else go(to, how);
  };
  return [path, guarded];
};

/**
 * The browser's back and forward: by the time we hear of it the address has changed already,
 * so the page that is left is put back before the question. Called before anything else
 * listens, since whoever listens first hears it first.
 */
export function guardHistory(): void {
  let here = location.href;
  const moved = (): void => void (here = location.href);
  window.addEventListener('popstate', (event) => {
    const { pathname, search } = new URL(here);
    if (!hasUnsaved() || placeOf(pathname + search) === placeOf(location.pathname + location.search))
      return moved();
    event.stopImmediatePropagation();
    history.pushState(null, '', here);
    put(() => history.back());
  });
  for (const name of ['pushState', 'replaceState']) window.addEventListener(name, moved);
}

export function Leaving(): ReactNode {
  const go = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => waiting,
  );
  if (go === null) return null;
  const leave = (): void => {
    forgetUnsaved();
    put(null);
    go();
  };
  return (
    <Suspense>
      <LeaveDialog onStay={() => put(null)} onLeave={leave} />
    </Suspense>
  );
}
