import { Button, Modal, Switch } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useRead, useWrite } from '../../shared/data.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { Answer, Copyable, Empty, Facts, Panel, Status } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { boot } from '../../shared/boot.js';

interface Integration {
  readonly title: string;
  readonly description?: string;
  readonly is_enabled?: string | boolean;
  readonly config?: { readonly is_enabled?: string };
  readonly logo?: string;
}
interface FieldOf {
  readonly type: string;
  readonly checkbox_label?: string;
  readonly label?: string;
  readonly main_label?: string;
}

/** Shops and payment systems that report orders. */
export function Integrations(): ReactNode {
  const reading = useRead('integrations.list');
  const [open, setOpen] = useState<string | null>(null);
  const status = useWrite('integrations.update_status');
  return (
    <Panel
      title={t('Integrations')}
      about={t('Shops and payment systems that tell the program about orders.')}
    >
      <Answer of={reading}>
        {({ integrations }) => {
          const entries = Object.entries(integrations as Readonly<Record<string, Integration>>);
          if (entries.length === 0)
            return (
              <Empty
                title={t('No integrations')}
                text={t(
                  'The site names its shops when it starts the service (option `providers`). Orders the site reports itself need none.',
                )}
              />
            );
          return (
            <div className="fa-rows">
              {entries.map(([key, one]) => {
                const on =
                  one.is_enabled === 'yes' || one.is_enabled === true || one.config?.is_enabled === 'yes';
                return (
                  <div key={key}>
                    <span>
                      <span className="fa-strong">{one.title}</span>
                      <br />
                      <span className="fa-faint">{one.description}</span>
                    </span>
                    <span className="fa-row">
                      <Button size="compact-sm" variant="default" onClick={() => setOpen(key)}>
                        {t('Set up')}
                      </Button>
                      <Switch
                        aria-label={one.title}
                        checked={on}
                        disabled={status.running}
                        onChange={(event) =>
                          void status
                            .run({
                              body: {
                                integration: key,
                                is_enabled: event.currentTarget.checked ? 'yes' : 'no',
                              },
                            })
                            .catch(() => undefined)
                        }
                      />
                    </span>
                  </div>
                );
              })}
            </div>
          );
        }}
      </Answer>
      <Modal opened={open !== null} onClose={() => setOpen(null)} title={t('Set up')} size="lg">
        {open !== null && <SetUp integration={open} onClose={() => setOpen(null)} />}
      </Modal>
    </Panel>
  );
}

function SetUp({ integration, onClose }: { integration: string; onClose: () => void }): ReactNode {
  const reading = useRead('integrations.config', { query: { integration } }, { keep: false });
  return (
    <Answer of={reading}>
      {({ config, fields }) => (
        <div className="fa-stack">
          <Facts
            facts={[
              {
                label: t('Webhook address'),
                value: <Copyable value={`${boot().program.siteUrl}${boot().api}/webhooks/${integration}`} />,
              },
            ]}
          />
          <SetUpForm integration={integration} config={config} fields={fields} onClose={onClose} />
        </div>
      )}
    </Answer>
  );
}

function SetUpForm({
  integration,
  config,
  fields,
  onClose,
}: {
  integration: string;
  config: Readonly<Record<string, unknown>>;
  fields: Readonly<Record<string, FieldOf>>;
  onClose: () => void;
}): ReactNode {
  const save = useWrite('integrations.save_config', { quiet: true });
  const form = useForm<Record<string, unknown>>({ ...config }, async (values) => {
    await save.run({ body: { integration, config: values } });
    onClose();
  });
  return (
    <FormFrame form={form} onCancel={onClose}>
      <Switch label={t('Orders are taken')} {...form.flag('is_enabled')} />
      {Object.entries(fields).map(([name, field]) =>
        field.type === 'inline_checkbox' ? (
          <Switch key={name} label={field.checkbox_label ?? field.label ?? name} {...form.flag(name)} />
        ) : (
          <div key={name} className="fa-row">
            <span className="fa-strong">{field.main_label}</span>{' '}
            <Status
              of="info"
              tone="gray"
              label={t('{count} own rates', {
                count: Array.isArray(config['custom_affiliate_rates'])
                  ? config['custom_affiliate_rates'].length
                  : 0,
              })}
            />
          </div>
        ),
      )}
    </FormFrame>
  );
}
