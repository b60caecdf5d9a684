import { Button } from '@mantine/core';
import { IconMail, IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useAddress } from '../../shared/address.js';
import { useBoot } from '../../shared/boot.js';
import type { RowOf } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { lazyComponent, lazyPart } from '../../shared/lazy-component.js';
import { List, type Column } from '../../shared/list.js';
import { AddressTabs, PageHead, Status } from '../../shared/parts.js';
import { number, t } from '../../shared/texts.js';
import { readable } from './codes.js';
import { MessageLink } from './message-link.js';
import { chosenIds } from './selection.js';

const NewMessage = lazyPart(() => import('./message-form.js'), 'NewMessage');
const Invitations = lazyComponent(() => import('./invitations.js'), 'Invitations');
const InviteDialog = lazyPart(() => import('./invitations.js'), 'InviteDialog');

/** Sent messages and invitations. */
export function Messages(): ReactNode {
  const address = useAddress();
  const { messages: may } = useBoot().rights;
  const open = address.get('open');
  const close = (): void => address.set({ open: null, to: null });
  const actions = may && (
    <>
      <Button
        variant="default"
        leftSection={<IconMail size={16} />}
        onClick={() => address.set({ tab: 'invitations', open: 'invite' })}
      >
        {t('Invite')}
      </Button>
      <Button leftSection={<IconPlus size={16} />} onClick={() => address.set({ tab: null, open: 'new' })}>
        {t('New message')}
      </Button>
    </>
  );
  return (
    <>
      <PageHead
        title={t('Messages')}
        about={t('Write to affiliates, and invite people to the program.')}
        actions={actions}
      />
      <AddressTabs
        tabs={[
          { key: 'sent', label: t('Sent'), content: () => <SentMessages /> },
          { key: 'invitations', label: t('Invitations'), content: () => <Invitations /> },
        ]}
      />
      {may && open === 'new' && <NewMessage to={chosenIds(address.get('to'))} onClose={close} />}
      {may && open === 'invite' && <InviteDialog opened onClose={close} />}
    </>
  );
}

type Row = RowOf<'messages.list'>;

const columns = (): readonly Column<Row>[] => [
  { key: 'subject', label: t('Subject'), head: true, cell: (row) => <MessageLink message={row} /> },
  {
    key: 'recipients',
    label: t('Recipients'),
    kind: 'number',
    cell: (row) => (row.status === 'queued' ? '…' : number(row.recipients)),
  },
  {
    key: 'status',
    label: t('Status'),
    cell: (row) =>
      row.status === 'queued' ? (
        <Status of="queued" label={t('Being prepared')} />
      ) : row.is_sending ? (
        <Status of="queued" label={t('Being sent')} />
      ) : (
        <Status of="done" label={t('Sent')} />
      ),
  },
  { key: 'portal', label: t('In the portal until'), cell: (row) => <DateTime at={row.portal_until} day /> },
  { key: 'by', label: t('Written by'), cell: (row) => row.sent_by ?? '—' },
  { key: 'at', label: t('Written'), cell: (row) => <DateTime at={row.created_at} /> },
];

const SentMessages = (): ReactNode => (
  <List
    name="messages"
    operation="messages.list"
    columns={columns()}
    rowName={(row) => readable(row.subject)}
    search={false}
    every={({ messages }) => messages.data.some((row) => row.is_sending) && 3000}
    empty={{
      title: t('No messages yet'),
      text: t('Notify your affiliates about a campaign, new creatives or changed terms.'),
    }}
  />
);
