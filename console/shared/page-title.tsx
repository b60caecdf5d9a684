import { useEffect, useRef, type ReactNode, type RefObject } from 'react';
import { useLocation } from 'wouter';
import { boot } from './boot.js';
import { createStore, useStore } from './store.js';

/** The path of the last heading; undefined before the first. */
let shownPath: string | undefined;
const announced = createStore('');

/** Announces a text to screen readers without moving the focus. */
export const announce = (text: string): void => announced.set(text);

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

export const Announcer = (): ReactNode => (
  <div role="status" className="fa-hidden">
    {useStore(announced)}
  </div>
);
