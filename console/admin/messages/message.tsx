import { Anchor, Modal } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { RowOf } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { Facts } from '../../shared/parts.js';
import { number, t } from '../../shared/texts.js';
import { MailFrame } from '../settings/mail-frame.js';

/** The subject of a sent message, which opens its text. */
export function MessageLink({ message }: { message: RowOf<'messages.list'> }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { subject, body, recipients, sent_by, created_at, portal_until } = message;
  return (
    <>
      <Anchor component="button" type="button" inherit ta="start" onClick={() => setOpen(true)}>
        {subject}
      </Anchor>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={subject} size="lg">
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
    </>
  );
}
