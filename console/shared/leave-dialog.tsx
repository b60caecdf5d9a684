import { Button, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from './texts.js';

export function LeaveDialog({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }): ReactNode {
  return (
    <Modal opened onClose={onStay} title={t('Leave without saving?')} size="sm">
      <p className="fa-dialog-text">{t('Your changes on this page are not saved yet.')}</p>
      <div className="fa-dialog-buttons">
        <Button variant="default" onClick={onStay} data-autofocus>
          {t('Stay here')}
        </Button>
        <Button color="red" onClick={onLeave}>
          {t('Leave')}
        </Button>
      </div>
    </Modal>
  );
}
