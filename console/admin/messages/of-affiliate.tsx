import type { ReactNode } from 'react';
import { DateTime } from '../../shared/dates.js';
import { QueryView } from '../../shared/query-view.js';
import { Sheet } from '../../shared/sheet.js';
import { t } from '../../shared/texts.js';
import { MessageLink } from './message-link.js';

/** The newest messages to an affiliate. */
export const AffiliateMessages = ({ id }: { id: string }): ReactNode => (
  <QueryView of="affiliates.messages" input={{ params: { id } }} lines={6}>
    {({ messages }) => (
      <Sheet
        cards
        rows={messages}
        rowKey={(row) => row.id}
        columns={[
          { label: t('Subject'), cell: (row) => <MessageLink message={row} /> },
          { label: t('Written by'), cell: (row) => row.sent_by ?? '—' },
          { label: t('Written'), end: true, cell: (row) => <DateTime at={row.created_at} /> },
        ]}
        empty={{
          title: t('No messages yet'),
          text: t('Messages to this affiliate appear here.'),
        }}
      />
    )}
  </QueryView>
);
