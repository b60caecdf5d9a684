import { useEffect, useRef, useSyncExternalStore, type ReactNode, type RefObject } from 'react';
import { useLocation } from 'wouter';
import { boot } from './boot.js';

/** The path whose heading was shown last; undefined before the first one. */
let shownPath: string | undefined;
let said = '';
const listeners = new Set<() => void>();

/** Read out by screen readers, without moving the focus. */
export function announce(text: string): void {
  said = text;
  for (const listener of listeners) listener();
}

/**
 * Names the page in the browser's tab. After the reader went to another screen, its heading gets the focus, so that
 * it is read out and the keyboard goes on from there; a change of the name on the same screen is read out only.
 */
export function usePageTitle(names: readonly string[]): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const [path] = useLocation();
  const title = names.filter((name) => name !== '').join(' · ');
  const named = useRef('');
  useEffect(() => {
    if (boot().layout === 'page') document.title = `${title} · ${boot().title}`;
    if (named.current !== '' && named.current !== title) announce(title);
    named.current = title;
  }, [title]);
  useEffect(() => {
    const isNew = shownPath !== undefined && shownPath !== path;
    shownPath = path;
    if (isNew && !isInDialog()) heading.current?.focus({ preventScroll: true });
    // Only when the screen comes: one that stays under a new address keeps the focus where it is.
  }, []);
  useEffect(() => {
    shownPath = path;
  }, [path]);
  return heading;
}

const isInDialog = (): boolean => document.activeElement?.closest('[role=dialog]') != null;

export const Announcer = (): ReactNode => {
  const text = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => said,
  );
  return (
    <div role="status" className="fa-hidden">
      {text}
    </div>
  );
};
