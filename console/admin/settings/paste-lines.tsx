import type { ReactNode } from 'react';
import { Copy } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';

/** Code that a developer copies into the site. */
export const PasteLines = ({
  lines,
  about,
  open,
}: {
  lines: string;
  /** Where they belong. */
  about: string;
  open: boolean;
}): ReactNode => (
  <details className="fa-paste" open={open}>
    <summary>{t('Lines to paste')}</summary>
    <p className="fa-about">{about}</p>
    <div className="fa-paste-text">
      <pre className="fa-source" dir="ltr" tabIndex={0}>
        {lines}
      </pre>
      <Copy value={lines} />
    </div>
  </details>
);
