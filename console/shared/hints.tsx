import { useEffect, useState, type ReactNode } from 'react';

interface Hint {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly below: boolean;
}

const WAIT_MS = 250;
const EDGE = 8;

/** Shows the `data-hint` of the hovered or focused element; cheaper than a tooltip per element. */
export function Hints({ root }: { root: HTMLElement }): ReactNode {
  const [shown, setShown] = useState<Hint | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hide = (): void => {
      clearTimeout(timer);
      setShown(null);
    };
    const show = (event: Event): void => {
      const element = (event.target as Element).closest?.('[data-hint]');
      hide();
      if (!element || (event.type === 'focusin' && !element.matches(':focus-visible'))) return;
      timer = setTimeout(() => setShown(placeOf(element)), WAIT_MS);
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') hide();
    };
    const stop = new AbortController();
    const { signal } = stop;
    root.addEventListener('pointerover', show, { signal });
    root.addEventListener('focusin', show, { signal });
    root.addEventListener('focusout', hide, { signal });
    root.addEventListener('pointerdown', hide, { signal });
    root.addEventListener('pointerleave', hide, { signal });
    root.addEventListener('keydown', onKey, { signal });
    window.addEventListener('scroll', hide, { signal, capture: true, passive: true });
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [root]);
  if (shown === null) return null;
  const { text, left, top, below } = shown;
  return (
    <div role="tooltip" className={below ? 'fa-hint fa-hint-below' : 'fa-hint'} style={{ left, top }}>
      {text}
    </div>
  );
}

/** Above the element, or below if there is no room; inside the window. */
function placeOf(element: Element): Hint | null {
  if (!element.isConnected) return null;
  const box = element.getBoundingClientRect();
  const below = box.top < 48;
  const half = Math.min(160, window.innerWidth / 2 - EDGE);
  const middle = box.left + box.width / 2;
  return {
    text: element.getAttribute('data-hint') ?? '',
    left: Math.max(half + EDGE, Math.min(window.innerWidth - half - EDGE, middle)),
    top: below ? box.bottom + 6 : box.top - 6,
    below,
  };
}
