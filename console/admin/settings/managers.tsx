import { Button, Modal } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useOpenRecord } from '../../shared/address.js';
import { confirmFirst } from '../../shared/confirm.js';
import { RowButton } from '../../shared/buttons.js';
import { useRead, useWrite, type ResponseOf } from '../../shared/data.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { UrlDialog } from '../../shared/url-dialog.js';
import { Loaded, Panel, Person } from '../../shared/parts.js';
import { Sheet } from '../../shared/sheet.js';
import { t } from '../../shared/texts.js';
import { UserChooser } from '../people.js';
import { InviteManagers, ManagerInvitations } from './manager-invitations.js';
import { partsOfRights, RightsGrid } from './rights-grid.js';

type Manager = ResponseOf<'managers.list'>['managers'][number];

/** Managers and their rights. */
export function Managers(): ReactNode {
  const reading = useRead('managers.list');
  const [open, setOpen] = useOpenRecord();
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
  const askRemove = (row: Manager): void =>
    confirmFirst({
      title: t('Remove {name}?', { name: row.display_name }),
      danger: true,
      yes: t('Remove'),
      text: t('Removes all rights in the program at once. The site user stays.'),
      run: () => remove.run({ params: { id: row.user_id } }),
    });
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
        {({ managers }) => (
          <Sheet
            cards
            rows={managers}
            rowKey={(row) => row.user_id}
            columns={[
              {
                label: t('Manager'),
                cell: (row) => <Person name={row.display_name} about={row.email} avatar={row.avatar} />,
              },
              ...partsOfRights().map(({ key, label }) => ({ label, cell: (row: Manager) => sign(row, key) })),
              {
                label: '',
                end: true,
                cell: (row) => (
                  <span className="fa-row">
                    <RowButton onClick={() => setOpen(row.user_id)}>{t('Edit')}</RowButton>
                    <RowButton quiet onClick={() => askRemove(row)}>
                      {t('Remove')}
                    </RowButton>
                  </span>
                ),
              },
            ]}
            empty={{
              title: t('No managers yet'),
              text: t('Add a colleague with only the rights they need, such as approving affiliates.'),
            }}
          />
        )}
      </Loaded>
      <ManagerInvitations />
      <UrlDialog name="invite" title={t('Invite managers')}>
        {(close) => <InviteManagers onClose={close} />}
      </UrlDialog>
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
