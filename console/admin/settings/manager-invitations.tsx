import { Button, Textarea } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useRead, useWrite, type AnswerOf } from '../../shared/data.js';
import { When } from '../../shared/dates.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { Status } from '../../shared/parts.js';
import { t, tn } from '../../shared/texts.js';
import { addressesIn, NotInvited, stateText, TONES } from '../messages/invitations.js';
import { RightsGrid } from './managers.js';

type LeftOut = AnswerOf<'managers.invite'>['left_out'];

/** Who was invited to help and has not come yet. */
export function ManagerInvitations(): ReactNode {
  const reading = useRead('managers.invitations', { query: { per_page: 100 } });
  const again = useWrite('managers.resend_invitation');
  const withdraw = useWrite('managers.withdraw_invitation');
  const rows = (reading.data?.invitations.data ?? []).filter(
    ({ state }) => state === 'open' || state === 'expired',
  );
  if (rows.length === 0) return null;
  const run = (write: typeof again | typeof withdraw, id: number): void =>
    void write.run({ params: { id } }).catch(() => undefined);
  return (
    <div className="fa-list">
      <div className="fa-table-frame">
        <table className="fa-table">
          <thead>
            <tr>
              <th scope="col">{t('Invited')}</th>
              <th scope="col">{t('State')}</th>
              <th scope="col">{t('Valid until')}</th>
              <th scope="col">
                <span className="fa-hidden">{t('Actions')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                <td className="fa-cell-head">{row.email}</td>
                <td data-label={t('State')}>
                  <Status of={row.state} tone={TONES[row.state]} label={stateText(row.state)} />
                </td>
                <td data-label={t('Valid until')}>
                  <When at={row.expires_at} day />
                </td>
                <td className="fa-end">
                  <span className="fa-row">
                    <Button size="compact-xs" variant="default" onClick={() => run(again, row.id)}>
                      {t('Send again')}
                    </Button>
                    <Button
                      size="compact-xs"
                      variant="subtle"
                      color="gray"
                      onClick={() => run(withdraw, row.id)}
                    >
                      {t('Withdraw')}
                    </Button>
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** Rights for people by their address; they need no account before. */
export function InviteManagers({ onClose }: { onClose: () => void }): ReactNode {
  const invite = useWrite('managers.invite', { quiet: true });
  const [leftOut, setLeftOut] = useState<LeftOut>([]);
  const form = useForm(
    { emails: '', permissions: [] as string[], note: '' },
    async ({ emails, permissions, note }) => {
      const body = { emails: addressesIn(emails), permissions, ...(note !== '' && { note }) };
      const { left_out: left } = await invite.run({ body });
      setLeftOut(left);
      if (left.length === 0) onClose();
    },
    ({ emails, permissions }) => ({
      ...(addressesIn(emails).length === 0 && { emails: t('Enter at least one e-mail address.') }),
      ...(permissions.length === 0 && { permissions: t('Choose at least one right.') }),
    }),
    { creates: true },
  );
  const count = addressesIn(form.values.emails).length;
  return (
    <FormFrame
      form={form}
      always
      yes={count > 0 ? tn('Invite {count} person', 'Invite {count} people', count) : t('Invite')}
      onCancel={onClose}
    >
      <NotInvited rows={leftOut} />
      <Textarea
        label={t('E-mail addresses')}
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
      <Textarea
        label={t('A few words of your own')}
        description={t('They stand in the mail.')}
        autosize
        minRows={2}
        {...form.text('note')}
      />
    </FormFrame>
  );
}
