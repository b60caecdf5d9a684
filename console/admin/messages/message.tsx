import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRead, type RowOf } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { AppLink, Facts } from '../../shared/parts.js';
import { number, t } from '../../shared/texts.js';
import { nameOf } from '../people.js';
import { MailFrame } from '../settings/mail-frame.js';
import { readable } from './codes.js';

type Message = RowOf<'messages.list'>;

/** The text and the recipients of a sent message. */
export const MessageDialog = ({ message, onClose }: { message: Message; onClose: () => void }): ReactNode => (
  <Modal opened onClose={onClose} title={readable(message.subject)} size="lg">
    <div className="fa-mail">
      <Facts
        facts={[
          { label: t('Recipients'), value: <Recipients of={message} /> },
          { label: t('Written by'), value: message.sent_by ?? '—' },
          { label: t('Written'), value: <DateTime at={message.created_at} full /> },
          message.portal_until !== null && {
            label: t('In the portal until'),
            value: <DateTime at={message.portal_until} day />,
          },
        ]}
      />
      <MailFrame html={`<body style="font-family: system-ui, sans-serif">${readable(message.body)}</body>`} />
    </div>
  </Modal>
);

const NAMED = 20;

/** Their number, and the first of them. */
function Recipients({ of: { id, recipients } }: { of: Message }): ReactNode {
  const found = useRead('messages.recipients', { params: { id }, query: { per_page: NAMED } });
  const { data: people = [], total = recipients } = found.data?.recipients ?? {};
  return (
    <>
      {number(total)}
      {people.map((person, at) => (
        <span key={person.id}>
          {at === 0 ? ': ' : ', '}
          <AppLink href={`/affiliates/${person.id}`}>{nameOf(person)}</AppLink>
        </span>
      ))}
      {total > people.length && people.length > 0 && ' …'}
    </>
  );
}
