import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import type { RowOf } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { Facts } from '../../shared/parts.js';
import { number, t } from '../../shared/texts.js';
import { MailFrame } from '../settings/mail-frame.js';

/** The text of a sent message. */
export const MessageDialog = ({
  message: { subject, body, recipients, sent_by, created_at, portal_until },
  onClose,
}: {
  message: RowOf<'messages.list'>;
  onClose: () => void;
}): ReactNode => (
  <Modal opened onClose={onClose} title={subject} size="lg">
    <div className="fa-mail">
      <Facts
        facts={[
          { label: t('Recipients'), value: number(recipients) },
          { label: t('Written by'), value: sent_by ?? '—' },
          { label: t('Written'), value: <DateTime at={created_at} full /> },
          portal_until !== null && {
            label: t('In the portal until'),
            value: <DateTime at={portal_until} day />,
          },
        ]}
      />
      <MailFrame html={body} />
    </div>
  </Modal>
);
