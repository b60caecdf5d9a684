import { Button, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { ask } from '../../shared/ask.js';
import { useRead, useWrite } from '../../shared/data.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { Loaded, Facts, Panel, Status } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';

export function License(): ReactNode {
  const reading = useRead('license.get');
  const remove = useWrite('license.deactivate', { quiet: true });
  const activate = useWrite('license.activate', { quiet: true });
  const form = useForm({ license_key: '' }, async ({ license_key }) => {
    await activate.run({ body: { license_key } });
  });
  return (
    <Panel
      title={t('License')}
      about={t('Only where the site sells this program with one; the service itself is free.')}
    >
      <Loaded of={reading}>
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
                <Button
                  variant="default"
                  onClick={() =>
                    ask({
                      title: t('Remove the license?'),
                      danger: true,
                      text: t('It can be used on another site afterwards.'),
                      yes: t('Remove'),
                      run: () => remove.run({}),
                    })
                  }
                >
                  {t('Remove the license')}
                </Button>
              </div>
            )}
          </div>
        )}
      </Loaded>
    </Panel>
  );
}
