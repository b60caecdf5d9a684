import { cloneElement, lazy, Suspense, useEffect, useState, type ReactElement, type ReactNode } from 'react';
import type { Deed } from './deed-menu.js';

const DeedMenu = lazy(async () => ({ default: (await import('./deed-menu.js')).DeedMenu }));

/** A button whose menu is loaded when it is first pressed; the menu gets the button and comes up open. */
export function LateMenu({
  button,
  popup = 'menu',
  children,
}: {
  button: ReactElement<object>;
  popup?: 'menu' | 'dialog';
  children: (button: ReactElement<object>) => ReactNode;
}): ReactNode {
  const [used, setUsed] = useState(false);
  // The button is drawn anew with its menu and keeps the focus.
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

/** A button with a menu of things to do; nothing where there is nothing to do. */
export const DeedButton = ({
  button,
  ...menu
}: {
  button: ReactElement<object>;
  deeds: readonly Deed[];
  width?: number;
}): ReactNode =>
  menu.deeds.length > 0 && (
    <LateMenu button={button}>{(opened) => <DeedMenu button={opened} {...menu} />}</LateMenu>
  );

/** Opens once it is drawn: only then does it know where the focus was, and gives it back when it closes. */
export function useOpening(): [open: boolean, setOpen: (open: boolean) => void] {
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(true), []);
  return [open, setOpen];
}
