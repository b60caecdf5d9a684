import { cloneElement, Suspense, useEffect, useState, type ReactElement, type ReactNode } from 'react';
import type { MenuAction } from './action-menu.js';
import { lazyComponent } from './lazy-component.js';

const ActionMenu = lazyComponent(() => import('./action-menu.js'), 'ActionMenu');

/** A button whose menu loads on first use and opens at once. */
export function LazyMenu({
  button,
  popup = 'menu',
  children,
}: {
  button: ReactElement<object>;
  popup?: 'menu' | 'dialog';
  children: (button: ReactElement<object>) => ReactNode;
}): ReactNode {
  const [used, setUsed] = useState(false);
  // The button is re-rendered inside its menu and keeps the focus.
  if (used)
    return (
      <Suspense fallback={button}>{children(cloneElement(button, { autoFocus: true } as object))}</Suspense>
    );
  return cloneElement(button, {
    onClick: () => setUsed(true),
    'aria-haspopup': popup,
    'aria-expanded': false,
  } as object);
}

/** A button with a menu of actions; renders nothing without actions. */
export const ActionMenuButton = ({
  button,
  ...menu
}: {
  button: ReactElement<object>;
  actions: readonly MenuAction[];
  width?: number;
}): ReactNode =>
  menu.actions.length > 0 && (
    <LazyMenu button={button}>{(opened) => <ActionMenu button={opened} {...menu} />}</LazyMenu>
  );

/** Opens after the first render, so that it can return the focus when it closes. */
export function useOpening(): [open: boolean, setOpen: (open: boolean) => void] {
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(true), []);
  return [open, setOpen];
}
