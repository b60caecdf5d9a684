import { cloneElement, Suspense, useEffect, useState, type ReactElement, type ReactNode } from 'react';

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

/** Opens once it is drawn: only then does it know where the focus was, and gives it back when it closes. */
export function useOpening(): [open: boolean, setOpen: (open: boolean) => void] {
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(true), []);
  return [open, setOpen];
}
