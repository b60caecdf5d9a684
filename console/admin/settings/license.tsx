import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { ConfirmButton } from '../../shared/buttons.js';
import { useWrite } from '../../shared/data.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { Facts, Panel, Status } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { t } from '../../shared/texts.js';

export function License(): ReactNode {
  const remove = useWrite('license.deactivate', { quiet: true });
  const activate = useWrite('license.activate', { quiet: true });
  const form = useForm({ license_key: '' }, async ({ license_key }) => {
    await activate.run({ body: { license_key } });
  });
  return (
    <Panel
      title={t('License')}
      about={t('Needed only if your vendor sells this program with a license. The service itself is free.')}
    >
      <QueryView of="license.get">
        {(license) => (
          <div className="fa-stack">
            <Facts
              facts={[
                { label: t('Status'), value: <Status of={license.status} /> },
                { label: t('Key'), value: license.license_key_masked },
                { label: t('Valid until'), value: license.license_expires },
                license.message !== undefined && { label: t('Message'), value: license.message },
              ]}
            />
            {license.status === 'unregistered' ? (
              <FormFrame form={form} yes={t('Activate')}>
                <TextInput label={t('License key')} autoComplete="off" {...form.text('license_key')} />
              </FormFrame>
            ) : (
              <div>
                <ConfirmButton
                  variant="default"
                  question={{
                    title: t('Remove the license?'),
                    danger: true,
                    text: t('You can use it on another site afterwards.'),
                    yes: t('Remove'),
                    run: () => remove.run({}),
                  }}
                >
                  {t('Remove the license')}
                </ConfirmButton>
              </div>
            )}
          </div>
        )}
      </QueryView>
    </Panel>
  );
}
