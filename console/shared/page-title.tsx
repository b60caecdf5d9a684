import { useEffect, useRef, useSyncExternalStore, type ReactNode, type RefObject } from 'react';
import { useLocation } from 'wouter';
import { boot } from './boot.js';

/** The path of the last heading; undefined before the first. */
let shownPath: string | undefined;
let announced = '';
const listeners = new Set<() => void>();

/** Announces a text to screen readers without moving the focus. */
export function announce(text: string): void {
  announced = text;
  for (const listener of listeners) listener();
}

/**
 * Sets the title of the browser's tab. On a new screen, its heading gets the focus, so that screen readers announce
 * it and the keyboard continues there. A new title on the same screen is only announced.
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
    // Only on a new screen; a change of the URL on the same screen keeps the focus.
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
    () => announced,
  );
  return (
    <div role="status" className="fa-hidden">
      {text}
    </div>
  );
};
