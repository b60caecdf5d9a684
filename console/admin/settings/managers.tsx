import { Button, Checkbox, Modal } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useOpened } from '../../shared/address.js';
import { ask } from '../../shared/ask.js';
import { useRead, useWrite, type AnswerOf } from '../../shared/data.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { Loaded, Empty, Panel, Person } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { UserChooser } from '../people.js';
import { InviteManagers, ManagerInvitations } from './manager-invitations.js';

type Manager = AnswerOf<'managers.list'>['managers'][number];

const SECTIONS = (): readonly { key: string; label: string }[] => [
  { key: 'affiliates', label: t('Affiliates') },
  { key: 'referrals', label: t('Referrals') },
  { key: 'visits', label: t('Visits') },
  { key: 'payouts', label: t('Payouts') },
];

/** Who may help, and with what: a grid of people and rights. */
export function Managers(): ReactNode {
  const reading = useRead('managers.list');
  const [open, setOpen] = useOpened();
  const opened = reading.data?.managers.find(({ user_id: id }) => String(id) === open);
  const remove = useWrite('managers.delete', { quiet: true });
  const add = (
    <div className="fa-row">
      <Button variant="default" onClick={() => setOpen('new')}>
        {t('Add manager')}
      </Button>
      <Button leftSection={<IconMail size={16} />} onClick={() => setOpen('invite')}>
        {t('Invite by mail')}
      </Button>
    </div>
  );
  const sign = (row: Manager, key: string): string => {
    if (
      row.is_admin ||
      row.permissions.includes('manage_all_data') ||
      row.permissions.includes(`manage_all_${key}`)
    )
      return t('Change');
    return row.permissions.includes(`read_all_${key}`) ? t('Read') : '—';
  };
  return (
    <Panel
      title={t('Managers')}
      about={t(
        'Users of the site who help with the program. Administrators may do everything and are not listed.',
      )}
      actions={add}
      flush
    >
      <Loaded of={reading}>
        {({ managers }) =>
          managers.length === 0 ? (
            <Empty
              title={t('No managers yet')}
              text={t(
                'Give somebody the right to approve affiliates or to prepare payouts, and nothing more.',
              )}
            />
          ) : (
            <div className="fa-list">
              <div className="fa-table-frame">
                <table className="fa-table">
                  <thead>
                    <tr>
                      <th scope="col">{t('Manager')}</th>
                      {SECTIONS().map(({ key, label }) => (
                        <th scope="col" key={key}>
                          {label}
                        </th>
                      ))}
                      <th scope="col">
                        <span className="fa-hidden">{t('Actions')}</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {managers.map((row) => (
                      <tr key={row.user_id}>
                        <td className="fa-cell-head">
                          <Person name={row.display_name} about={row.email} avatar={row.avatar} />
                        </td>
                        {SECTIONS().map(({ key, label }) => (
                          <td key={key} data-label={label}>
                            {sign(row, key)}
                          </td>
                        ))}
                        <td className="fa-end">
                          <span className="fa-row">
                            <Button size="compact-xs" variant="default" onClick={() => setOpen(row.user_id)}>
                              {t('Edit')}
                            </Button>
                            <Button
                              size="compact-xs"
                              variant="subtle"
                              color="gray"
                              onClick={() =>
                                ask({
                                  title: t('Remove {name}?', { name: row.display_name }),
                                  danger: true,
                                  yes: t('Remove'),
                                  text: t(
                                    'Every right in the program is taken away at once. The user of the site stays.',
                                  ),
                                  run: () => remove.run({ params: { id: row.user_id } }),
                                })
                              }
                            >
                              {t('Remove')}
                            </Button>
                          </span>
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            </div>
          )
        }
      </Loaded>
      <ManagerInvitations />
      <Modal opened={open === 'invite'} onClose={() => setOpen(null)} title={t('Invite managers')}>
        {open === 'invite' && <InviteManagers onClose={() => setOpen(null)} />}
      </Modal>
      <Modal
        opened={open === 'new' || opened !== undefined}
        onClose={() => setOpen(null)}
        title={open === 'new' ? t('Add manager') : t('Rights')}
      >
        {open === 'new' && <ManagerForm onClose={() => setOpen(null)} />}
        {opened && <ManagerForm manager={opened} onClose={() => setOpen(null)} />}
      </Modal>
    </Panel>
  );
}

function ManagerForm({ manager, onClose }: { manager?: Manager; onClose: () => void }): ReactNode {
  const save = useWrite('managers.save', { quiet: true });
  const form = useForm(
    { user_id: manager ? String(manager.user_id) : '', permissions: [...(manager?.permissions ?? [])] },
    async ({ user_id, permissions }) => {
      await save.run({ body: { user_id: Number(user_id), permissions } });
      onClose();
    },
    ({ user_id, permissions }) => ({
      ...(user_id === '' && { user_id: t('Choose a user of the site.') }),
      ...(permissions.length === 0 && { permissions: t('Choose at least one right.') }),
    }),
  );
  const { permissions } = form.values;
  return (
    <FormFrame form={form} yes={manager ? t('Save') : t('Add manager')} onCancel={onClose}>
      {!manager && (
        <UserChooser label={t('User of the site')} required autoFocus {...form.field('user_id')} />
      )}
      <RightsGrid
        permissions={permissions}
        error={form.field('permissions').error}
        onChange={(next) => form.set({ permissions: next })}
      />
    </FormFrame>
  );
}

/** What somebody may read and change. */
export function RightsGrid({
  permissions,
  error,
  onChange,
}: {
  permissions: readonly string[];
  error: ReactNode;
  onChange: (permissions: string[]) => void;
}): ReactNode {
  const has = (key: string): boolean => permissions.includes(key);
  const put = (key: string, on: boolean): void =>
    onChange(on ? [...permissions, key] : permissions.filter((other) => other !== key));
  const all = has('manage_all_data');
  return (
    <>
      <table className="fa-table">
        <thead>
          <tr>
            <th scope="col">{t('Part')}</th>
            <th scope="col" className="fa-grid-check">
              {t('Read')}
            </th>
            <th scope="col" className="fa-grid-check">
              {t('Change')}
            </th>
          </tr>
        </thead>
        <tbody>
          {SECTIONS().map(({ key, label }) => (
            <tr key={key}>
              <th scope="row">{label}</th>
              <td className="fa-grid-check">
                <Checkbox
                  display="inline-block"
                  aria-label={t('Read {part}', { part: label })}
                  checked={all || has(`read_all_${key}`) || has(`manage_all_${key}`)}
                  disabled={all || has(`manage_all_${key}`)}
                  onChange={(event) => put(`read_all_${key}`, event.currentTarget.checked)}
                />
              </td>
              <td className="fa-grid-check">
                {key !== 'visits' && (
                  <Checkbox
                    display="inline-block"
                    aria-label={t('Change {part}', { part: label })}
                    checked={all || has(`manage_all_${key}`)}
                    disabled={all}
                    onChange={(event) => put(`manage_all_${key}`, event.currentTarget.checked)}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Checkbox
        label={t('Invite people and write to affiliates')}
        checked={all || has('send_messages')}
        disabled={all}
        onChange={(event) => put('send_messages', event.currentTarget.checked)}
      />
      <Checkbox
        label={t('Everything, settings included where the site allows it')}
        checked={all}
        onChange={(event) => put('manage_all_data', event.currentTarget.checked)}
        error={error}
      />
    </>
  );
}
