import { useEffect } from 'react';
import { useLocation } from 'wouter';
import type { NavGroup } from './navigation.js';

/** Maximum time between the keys of a shortcut. */
const TOGETHER_MS = 1500;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('input:not([type=checkbox]), textarea, select, [contenteditable], [role=dialog]') !== null;

/** Moves the focus between the rows of a list. */
function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main .fa-list tbody tr')];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[at < 0 ? 0 : at + by];
  (next?.querySelector<HTMLElement>('a, button') ?? next?.querySelector<HTMLElement>('input'))?.focus();
}

const choose = (): void =>
  document.activeElement?.closest('tr')?.querySelector<HTMLElement>('.fa-check input')?.click();

/** Keyboard shortcuts: `g` and a letter open a screen; `j` and `k` move in a list, `x` selects a row. */
export function useKeys(groups: readonly NavGroup[]): void {
  const [, go] = useLocation();
  useEffect(() => {
    let went = Number.NEGATIVE_INFINITY;
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      const key = event.key.toLowerCase();
      const isSecond = event.timeStamp - went < TOGETHER_MS;
      went = Number.NEGATIVE_INFINITY;
      const screen = groups.flatMap(({ items }) => items).find((item) => item.key === key);
      if (isSecond && screen !== undefined) go(screen.href);
      else if (key === 'g') went = event.timeStamp;
      else if (key === 'j') step(1);
      else if (key === 'k') step(-1);
      else if (key === 'x') choose();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [groups, go]);
}
