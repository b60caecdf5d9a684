import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../shared/texts.js';
import { CopyText } from './copy-text.js';
import type { Creative } from './creative.js';

export const CodeDialog = ({ creative, onClose }: { creative: Creative; onClose: () => void }): ReactNode => (
  <Modal opened onClose={onClose} title={creative.name} size="lg">
    <div className="fa-stack">
      <p className="fa-soft">{t('Paste this into your page. It shows the creative with your link.')}</p>
      <pre className="fa-source" dir="ltr" tabIndex={0}>
        {creative.code}
      </pre>
      <div className="fa-row">
        <CopyText value={creative.code}>{t('Copy the code')}</CopyText>
        <CopyText value={creative.link}>{t('Copy link')}</CopyText>
      </div>
    </div>
  </Modal>
);
