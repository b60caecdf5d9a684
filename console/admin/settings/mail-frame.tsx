import type { ReactNode } from 'react';
import { useBoot } from '../../shared/boot.js';
import { t } from '../../shared/texts.js';

/** Borders and margins around the text. */
const ROOM = 24;

/**
 * A sandboxed frame without scripts. The page's Content-Security-Policy applies in it too and forbids inline styles
 * in the HTML, so they are set on each element.
 */
export function MailFrame({ html }: { html: string }): ReactNode {
  const { styleNonce } = useBoot();
  const text = html
    .replaceAll(/\sstyle="/g, ' data-style="')
    .replaceAll('<style', `<style nonce="${styleNonce}"`);
  return (
    <iframe
      title={t('Preview')}
      sandbox="allow-same-origin"
      srcDoc={text}
      onLoad={({ currentTarget: frame }) => {
        const { contentDocument } = frame;
        for (const element of contentDocument?.querySelectorAll<HTMLElement>('[data-style]') ?? [])
          element.style.cssText = element.dataset['style'] ?? '';
        const height = contentDocument?.documentElement.offsetHeight ?? 0;
        if (height > 0) frame.style.maxHeight = `${Math.max(height + ROOM, 80)}px`; // no larger than its text
      }}
    />
  );
}
