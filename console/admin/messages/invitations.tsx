import { Alert, Button, FileButton, Modal, Textarea } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useBoot } from '../../shared/boot.js';
import { RowButton } from '../../shared/buttons.js';
import { useWrite, type ResponseOf, type RowOf } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { choicesOf } from '../../shared/filters.js';
import { FormFrame, useForm, type Form } from '../../shared/form.js';
import { List, type Column } from '../../shared/list.js';
import { AppLink, Status } from '../../shared/parts.js';
import { t, tn, word } from '../../shared/texts.js';
import { rateText } from '../rates.js';
import { GroupInput, RateInputs, sentRate, type RateType } from '../terms-inputs.js';
import { ownRate } from '../typed-rates.js';

type Row = RowOf<'invitations.list'>;
type SkippedAddresses = ResponseOf<'invitations.create'>['left_out'];

const STATES = ['open', 'expired', 'accepted', 'withdrawn'] as const;
export const TONES = { open: 'blue', expired: 'gray', accepted: 'green', withdrawn: 'gray' } as const;
export const stateText = (state: Row['state']): string =>
  ({ open: word('open'), expired: t('Expired'), accepted: t('Accepted'), withdrawn: t('Withdrawn') })[state];

const columns = (may: boolean): readonly Column<Row>[] => [
  {
    key: 'email',
    label: t('Email'),
    head: true,
    cell: (row) =>
      row.affiliate_id === null ? (
        row.email
      ) : (
        <AppLink href={`/affiliates/${row.affiliate_id}`}>{row.email}</AppLink>
      ),
  },
  {
    key: 'state',
    label: t('Status'),
    cell: (row) => <Status of={row.state} tone={TONES[row.state]} label={stateText(row.state)} />,
  },
  { key: 'group', label: t('Group'), cell: (row) => row.group ?? '—' },
  {
    key: 'rate',
    label: t('Rate'),
    cell: (row) => (row.rate === null ? '—' : rateText({ type: row.rate_type, rate: row.rate })),
  },
  { key: 'sent', label: t('Sent'), cell: (row) => <DateTime at={row.sent_at} /> },
  { key: 'until', label: t('Valid until'), cell: (row) => <DateTime at={row.expires_at} day /> },
  { key: 'note', label: t('Message'), extra: true, cell: (row) => row.note ?? '—' },
  ...(may ? [{ key: 'actions', label: t('Actions'), cell: (row: Row) => <RowActions row={row} /> }] : []),
];

function RowActions({ row: { id, state } }: { row: Row }): ReactNode {
  const again = useWrite('invitations.resend');
  const withdraw = useWrite('invitations.withdraw');
  if (state !== 'open' && state !== 'expired') return null;
  const params = { id };
  return (
    <span className="fa-row">
      <RowButton loading={again.running} onClick={() => again.press({ params })}>
        {t('Send again')}
      </RowButton>
      <RowButton quiet loading={withdraw.running} onClick={() => withdraw.press({ params })}>
        {t('Withdraw')}
      </RowButton>
    </span>
  );
}

export function Invitations(): ReactNode {
  const { messages: may } = useBoot().rights;
  return (
    <List
      name="invitations"
      operation="invitations.list"
      columns={columns(may)}
      rowName={(row) => row.email}
      search={t('Search email')}
      filters={[{ key: 'state', label: t('Status'), choices: choicesOf(STATES, stateText) }]}
      empty={{
        title: t('No invitations yet'),
        text: t('Invited people see your terms first and join without a code.'),
      }}
    />
  );
}

export const InviteDialog = ({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode => (
  <Modal opened={opened} onClose={onClose} title={t('Invite affiliates')} size="md">
    {opened && <InviteForm onClose={onClose} />}
  </Modal>
);

/** The e-mail addresses in pasted text, without duplicates. */
export const addressesIn = (text: string): string[] => {
  const found = text.split(/[\s,;<>"]+/).filter((part) => part.includes('@'));
  const first = new Map(found.toReversed().map((address) => [address.toLowerCase(), address]));
  return [...first.values()].toReversed();
};

/** The addresses that can be mended; the others are invited, or need no invitation. */
export function stillToInvite(emails: string, leftOut: SkippedAddresses): string {
  const wrong = leftOut.filter(({ reason }) => reason === 'invalid').map(({ email }) => email);
  return wrong.length === 0 ? emails : wrong.join('\n');
}

const partsWithout = (text: string): string[] =>
  text
    .split(/[\n,;]/)
    .map((part) => part.trim())
    .filter((part) => part !== '' && !part.includes('@'));

interface Invited {
  emails: string;
  group_id: string;
  rate_type: RateType;
  rate: string;
  note: string;
}

function InviteForm({ onClose }: { onClose: () => void }): ReactNode {
  const invite = useWrite('invitations.create', { quiet: true });
  const [leftOut, setLeftOut] = useState<SkippedAddresses>([]);
  const form: Form<Invited> = useForm<Invited>(
    { emails: '', group_id: '', rate_type: 'default', rate: '', note: '' },
    async ({ emails, group_id: group, rate_type, rate, note }) => {
      const { left_out: left } = await invite.run({
        body: {
          emails: addressesIn(emails),
          ...(group !== '' && { group_id: Number(group) }),
          ...sentRate({ rate_type: rate_type as Exclude<RateType, 'group'>, rate }), // one of the options below
          ...(note !== '' && { note }),
        },
      });
      setLeftOut(left);
      if (left.length === 0) onClose();
      else form.set({ emails: stillToInvite(emails, left) });
    },
    ({ emails }) =>
      addressesIn(emails).length === 0 ? { emails: t('Enter at least one email address.') } : {},
    { creates: true, figures: ownRate },
  );
  const without = partsWithout(form.values.emails);
  return (
    <InviteFrame form={form} leftOut={leftOut} onClose={onClose}>
      <Textarea
        label={t('Email addresses')}
        description={t('One or many: paste a list or a column of a table.')}
        autosize
        minRows={3}
        maxRows={10}
        data-autofocus
        {...form.text('emails')}
      />
      {form.values.emails.includes('@') && without.length > 0 && (
        <Alert color="yellow" role="status">
          {t('No email address in: {lines}', { lines: without.slice(0, 5).join(', ') })}
        </Alert>
      )}
      <AddressFile onRead={(found) => form.set({ emails: `${form.values.emails}\n${found}`.trim() })} />
      <GroupInput form={form} />
      <RateInputs form={form} inherited={t('of the program or the group')} />
    </InviteFrame>
  );
}

/** A form of invitations: the addresses that were skipped, the fields and a message. */
export function InviteFrame<T extends { emails: string; note: string }>({
  form,
  leftOut,
  onClose,
  children,
}: {
  form: Form<T>;
  leftOut: SkippedAddresses;
  onClose: () => void;
  children: ReactNode;
}): ReactNode {
  const count = addressesIn(form.values.emails).length;
  return (
    <FormFrame
      form={form}
      always
      yes={count > 0 ? tn('Invite {count} person', 'Invite {count} people', count) : t('Invite')}
      onCancel={onClose}
    >
      <NotInvited rows={leftOut} />
      {children}
      <Textarea
        label={t('Your message')}
        description={t('It appears in the mail.')}
        autosize
        minRows={2}
        {...form.text('note')}
      />
    </FormFrame>
  );
}

/** Reads the e-mail addresses in a CSV file. */
const AddressFile = ({ onRead }: { onRead: (addresses: string) => void }): ReactNode => (
  <FileButton
    accept=".csv,.txt,text/csv,text/plain"
    onChange={(file) => void file?.text().then((text) => onRead(addressesIn(text).join('\n')))}
  >
    {(props) => (
      <Button {...props} size="compact-sm" variant="default" style={{ justifySelf: 'start' }}>
        {t('Add from a CSV file')}
      </Button>
    )}
  </FileButton>
);

/** Skipped addresses and the reasons. */
function NotInvited({ rows }: { rows: SkippedAddresses }): ReactNode {
  const reasons: Readonly<Record<SkippedAddresses[number]['reason'], string>> = {
    invalid: t('not an email address'),
    is_affiliate: t('is already an affiliate'),
    is_manager: t('is already a manager'),
    invited: t('is already invited'),
  };
  if (rows.length === 0) return null;
  return (
    <Alert color="yellow" role="status" title={t('These were not invited')}>
      <ul>
        {rows.map(({ email, reason }) => (
          <li key={email}>
            {email}: {reasons[reason]}
          </li>
        ))}
      </ul>
    </Alert>
  );
}
