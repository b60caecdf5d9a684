import { useRef, type RefObject } from 'react';

/** Inserts a text at the cursor of a text box, and leaves the cursor after it. */
export function useInsert(
  text: string,
  set: (next: string) => void,
): readonly [box: RefObject<HTMLTextAreaElement | null>, insert: (part: string) => void] {
  const box = useRef<HTMLTextAreaElement>(null);
  const insert = (part: string): void => {
    const [from, to] = [box.current?.selectionStart ?? text.length, box.current?.selectionEnd ?? text.length];
    set(text.slice(0, from) + part + text.slice(to));
    requestAnimationFrame(() => {
      box.current?.focus();
      box.current?.setSelectionRange(from + part.length, from + part.length);
    });
  };
  return [box, insert];
}
