import { cloneElement, Suspense, useState, type ReactElement, type ReactNode } from 'react';

/** A button whose menu is loaded when it is first pressed; the menu gets the button and comes up open. */
export function LateMenu({
  button,
  children,
}: {
  button: ReactElement<object>;
  children: (button: ReactElement<object>) => ReactNode;
}): ReactNode {
  const [used, setUsed] = useState(false);
  if (used) return <Suspense fallback={button}>{children(button)}</Suspense>;
  return cloneElement(button, {
    onClick: () => setUsed(true),
    'aria-haspopup': 'menu',
    'aria-expanded': false,
  } as object);
}
