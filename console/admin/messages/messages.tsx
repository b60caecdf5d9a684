import { Button, Modal, Select, Textarea, TextInput } from '@mantine/core';
import { IconMail, IconPlus } from '@tabler/icons-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useAddress } from '../../shared/address.js';
import { send, useBoot } from '../../shared/boot.js';
import { useRead, useWrite, type AnswerOf, type InputOf, type RowOf } from '../../shared/data.js';
import { When } from '../../shared/dates.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { List, type Column } from '../../shared/list.js';
import { AddressTabs, Facts, PageHead, Status } from '../../shared/parts.js';
import { number, t, tn } from '../../shared/texts.js';
import { told } from '../../shared/told.js';
import { useGroups } from '../people.js';
import { MailFrame } from '../settings/mail-frame.js';

const Invitations = lazy(async () => ({ default: (await import('./invitations.js')).Invitations }));
const InviteDialog = lazy(async () => ({ default: (await import('./invitations.js')).InviteDialog }));

/** What was written to affiliates, and who is invited. */
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
        about={t('Write to affiliates, and invite people to become one.')}
        actions={actions}
      />
      <AddressTabs
        tabs={[
          { key: 'sent', label: t('Sent'), content: () => <SentMessages /> },
          { key: 'invitations', label: t('Invitations'), content: () => <Invitations /> },
        ]}
      />
      <Modal opened={may && open === 'new'} onClose={close} title={t('New message')} size="lg">
        <MessageForm to={idsOf(address.get('to'))} onDone={close} />
      </Modal>
      {may && open === 'invite' && (
        <Suspense>
          <InviteDialog opened onClose={close} />
        </Suspense>
      )}
    </>
  );
}

const idsOf = (text: string): readonly number[] =>
  text
    .split('.')
    .map(Number)
    .filter((id) => Number.isSafeInteger(id) && id > 0);

type Row = RowOf<'messages.list'>;

const columns = (): readonly Column<Row>[] => [
  { key: 'subject', label: t('Subject'), head: true, cell: (row) => row.subject },
  {
    key: 'recipients',
    label: t('Recipients'),
    end: true,
    cell: (row) => <span className="fa-number">{number(row.recipients)}</span>,
  },
  {
    key: 'status',
    label: t('State'),
    cell: (row) =>
      row.status === 'done' ? (
        <Status of="done" label={t('Handed to the outbox')} />
      ) : (
        <Status of="queued" label={t('Being prepared')} />
      ),
  },
  { key: 'portal', label: t('In the portal until'), cell: (row) => <When at={row.portal_until} day /> },
  { key: 'by', label: t('Written by'), cell: (row) => row.sent_by ?? '—' },
  { key: 'at', label: t('Written'), cell: (row) => <When at={row.created_at} /> },
];

const SentMessages = (): ReactNode => (
  <List
    name="messages"
    operation="messages.list"
    columns={columns()}
    rowKey={(row) => row.id}
    rowName={(row) => row.subject}
    search={false}
    empty={{
      title: t('Nothing written yet'),
      text: t('Tell your affiliates about a campaign, new material or a change of the terms.'),
    }}
  />
);

/** Paragraphs of a plain text; codes stay. */
function htmlOf(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').trim();
  if (escaped === '') return '';
  return escaped
    .split(/\n{2,}/)
    .map((part) => `<p>${part.trim().replaceAll('\n', '<br>')}</p>`)
    .join('');
}

const CODES =
  '{{user.first_name}} {{affiliate.affiliate_link}} {{affiliate.unpaid_earning_formatted}} {{site.name}}';

interface Values {
  readonly subject: string;
  readonly body: string;
  readonly whom: string;
  readonly days: string;
}

/** Empty: to nobody in particular, so to all who are active. */
function inputOf(
  { subject, body, whom, days }: Values,
  to: readonly number[],
): InputOf<'messages.send'>['body'] {
  const audience = whom === 'chosen' ? { ids: [...to] } : whom === 'all' ? {} : { group_id: Number(whom) };
  return { subject, body: htmlOf(body), audience, portal_days: Number(days) || 0 };
}

function MessageForm({ to, onDone }: { to: readonly number[]; onDone: () => void }): ReactNode {
  const write = useWrite('messages.send', { quiet: true });
  const test = useWrite('messages.test');
  const groups = useGroups();
  const [seen, setSeen] = useState<AnswerOf<'messages.preview'> | null>(null);
  const whomText = (whom: string): string => {
    if (whom === 'chosen') return tn('{count} chosen affiliate', '{count} chosen affiliates', to.length);
    return groups.find(({ value }) => value === whom)?.label ?? t('all active affiliates');
  };
  const form = useForm<Values>(
    { subject: '', body: '', whom: to.length > 0 ? 'chosen' : 'all', days: '' },
    async (values) => {
      await write.run({ body: inputOf(values, to) });
      onDone();
    },
    undefined,
    { creates: true },
  );
  const body = inputOf(form.values, to);
  const look = (): Promise<void> => send('messages.preview', { body }).then(setSeen, told.failed);
  const looks = (
    <>
      <Button variant="default" onClick={() => void look()}>
        {t('Preview')}
      </Button>
      <Button
        variant="default"
        loading={test.running}
        onClick={() => void test.run({ body }).catch(() => undefined)}
      >
        {t('Send me a test')}
      </Button>
    </>
  );
  return (
    <FormFrame form={form} always yes={t('Send')} onCancel={onDone} more={looks}>
      <Select
        label={t('To')}
        description={form.values.whom === 'chosen' ? <Names ids={to} /> : undefined}
        data={[
          ...(to.length > 0 ? [{ value: 'chosen', label: whomText('chosen') }] : []),
          { value: 'all', label: whomText('all') },
          ...groups,
        ]}
        allowDeselect={false}
        {...form.field('whom')}
        onChange={(value) => value && form.set({ whom: value })}
      />
      <TextInput label={t('Subject')} data-autofocus {...form.text('subject')} />
      <Textarea
        label={t('Text')}
        description={t('An empty line begins a paragraph. These are filled in: {codes}', { codes: CODES })}
        autosize
        minRows={6}
        maxRows={14}
        {...form.text('body')}
      />
      <TextInput
        label={t('Days in the portal')}
        description={t('Empty: by mail only')}
        inputMode="numeric"
        {...form.text('days')}
      />
      {seen && (
        <div className="fa-mail">
          <Facts
            facts={[
              { label: t('To'), value: seen.to },
              { label: t('Subject'), value: seen.subject },
              { label: t('Recipients'), value: number(seen.recipients) },
            ]}
          />
          <MailFrame html={seen.html} />
        </div>
      )}
    </FormFrame>
  );
}

function Names({ ids }: { ids: readonly number[] }): ReactNode {
  const { data } = useRead('settings.affiliate_options', { query: { include_ids: [...ids] } });
  return (data?.affiliates ?? [])
    .filter(({ id }) => ids.includes(Number(id)))
    .map(({ full_name: name }) => name)
    .join(', ');
}
