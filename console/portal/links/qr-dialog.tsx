import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../shared/texts.js';
import { QrDownloads, QrPicture } from './qr.js';

export function QrDialog({
  onClose,
  link,
  name,
}: {
  onClose: () => void;
  link: string;
  name?: string;
}): ReactNode {
  return (
    <Modal opened onClose={onClose} title={t('QR code')} size="sm">
      <div className="fa-qr-box">
        <QrPicture link={link} size={240} />
        <code className="fa-wrap" dir="ltr">
          {link}
        </code>
        <QrDownloads link={link} {...(name !== undefined && { name })} />
      </div>
    </Modal>
  );
}
