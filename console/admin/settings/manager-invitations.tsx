import { Textarea } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { RowButton } from '../../shared/buttons.js';
import { useRead, useWrite, type ResponseOf } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { useForm, type Form } from '../../shared/form.js';
import { Status } from '../../shared/parts.js';
import { Sheet } from '../../shared/sheet.js';
import { t } from '../../shared/texts.js';
import { addressesIn, InviteFrame, stateText, stillToInvite, TONES } from '../messages/invitations.js';
import { RightsGrid } from './rights-grid.js';

type SkippedAddresses = ResponseOf<'managers.invite'>['left_out'];

/** Open invitations of managers. */
export function ManagerInvitations(): ReactNode {
  const reading = useRead('managers.invitations', { query: { per_page: 100 } });
  const again = useWrite('managers.resend_invitation');
  const withdraw = useWrite('managers.withdraw_invitation');
  const rows = (reading.data?.invitations.data ?? []).filter(
    ({ state }) => state === 'open' || state === 'expired',
  );
  if (rows.length === 0) return null;
  const run = (write: typeof again | typeof withdraw, id: number): void => write.press({ params: { id } });
  return (
    <Sheet
      cards
      rows={rows}
      rowKey={(row) => row.id}
      columns={[
        { label: t('Invited'), cell: (row) => row.email },
        {
          label: t('Status'),
          cell: (row) => <Status of={row.state} tone={TONES[row.state]} label={stateText(row.state)} />,
        },
        { label: t('Valid until'), cell: (row) => <DateTime at={row.expires_at} day /> },
        {
          label: '',
          end: true,
          cell: (row) => (
            <span className="fa-row">
              <RowButton onClick={() => run(again, row.id)}>{t('Send again')}</RowButton>
              <RowButton quiet onClick={() => run(withdraw, row.id)}>
                {t('Withdraw')}
              </RowButton>
            </span>
          ),
        },
      ]}
    />
  );
}

interface ManagersInvited {
  emails: string;
  permissions: string[];
  note: string;
}

/** Invites managers by e-mail; they need no account yet. */
export function InviteManagers({ onClose }: { onClose: () => void }): ReactNode {
  const invite = useWrite('managers.invite', { quiet: true });
  const [leftOut, setLeftOut] = useState<SkippedAddresses>([]);
  const form: Form<ManagersInvited> = useForm<ManagersInvited>(
    { emails: '', permissions: [], note: '' },
    async ({ emails, permissions, note }) => {
      const body = { emails: addressesIn(emails), permissions, ...(note !== '' && { note }) };
      const { left_out: left } = await invite.run({ body });
      setLeftOut(left);
      if (left.length === 0) onClose();
      else form.set({ emails: stillToInvite(emails, left) });
    },
    ({ emails, permissions }) => ({
      ...(addressesIn(emails).length === 0 && { emails: t('Enter at least one email address.') }),
      ...(permissions.length === 0 && { permissions: t('Choose at least one right.') }),
    }),
    { creates: true },
  );
  return (
    <InviteFrame form={form} leftOut={leftOut} onClose={onClose}>
      <Textarea
        label={t('Email addresses')}
        description={t('The mail leads to an account with these rights. The link is valid for 14 days.')}
        autosize
        minRows={2}
        data-autofocus
        {...form.text('emails')}
      />
      <RightsGrid
        permissions={form.values.permissions}
        error={form.field('permissions').error}
        onChange={(permissions) => form.set({ permissions })}
      />
    </InviteFrame>
  );
}
