import type { ReactNode } from 'react';
import { useBrowserLocation } from 'wouter/use-browser-location';
import { lazyPart } from './lazy-component.js';
import { createStore, useStore } from './store.js';
import { forgetUnsaved, hasUnsaved } from './unsaved.js';

const LeaveDialog = lazyPart(() => import('./leave-dialog.js'), 'LeaveDialog');

/** The navigation that waits for the answer. */
const waiting = createStore<(() => void) | null>(null);

/** The screen, its tab and its open record; a filter does not close a form. */
function placeOf(address: string): string {
  const [path, query] = address.split('?');
  const values = new URLSearchParams(query);
  return [path, ...['tab', 'open', 'mail'].map((name) => values.get(name) ?? '')].join(' ');
}

/** The browser's location, which asks before leaving a form with unsaved changes. */
export const useGuardedLocation: typeof useBrowserLocation = (options) => {
  const [path, go] = useBrowserLocation(options);
  const guarded: typeof go = (to, how) => {
    const target = typeof to === 'string' ? to : to.pathname;
    if (hasUnsaved() && placeOf(target) !== placeOf(location.pathname + location.search))
      waiting.set(() => go(to, how));
    else go(to, how);
  };
  return [path, guarded];
};

/**
 * Asks before Back and Forward leave a form. The URL has already changed when `popstate` fires, so it is restored
 * before the question. Must be called before other listeners are added.
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
    waiting.set(() => history.back());
  });
  for (const name of ['pushState', 'replaceState']) window.addEventListener(name, moved);
}

export function Leaving(): ReactNode {
  const go = useStore(waiting);
  if (go === null) return null;
  const leave = (): void => {
    forgetUnsaved();
    waiting.set(null);
    go();
  };
  return <LeaveDialog onStay={() => waiting.set(null)} onLeave={leave} />;
}
