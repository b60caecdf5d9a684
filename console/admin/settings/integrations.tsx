import { Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../shared/address.js';
import { useRead, useWrite } from '../../shared/data.js';
import { Loaded, AppLink, Empty, Panel } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { IntegrationSetUp } from './integration.js';

/** Shops and payment systems that report orders: all of them, or one with its settings and deliveries. */
export function Integrations(): ReactNode {
  const open = useAddress().get('shop');
  return open === '' ? <All /> : <IntegrationSetUp key={open} integration={open} />;
}

function All(): ReactNode {
  const reading = useRead('integrations.list');
  const status = useWrite('integrations.update_status');
  return (
    <Panel
      title={t('Integrations')}
      about={t('Shops and payment systems that tell the program about orders.')}
    >
      <Loaded of={reading}>
        {({ integrations }) =>
          Object.keys(integrations).length === 0 ? (
            <Empty
              title={t('No integrations')}
              text={t(
                'The site names its shops when it starts the service (option providers). Orders the site reports itself need none.',
              )}
            />
          ) : (
            <div className="fa-rows">
              {Object.entries(integrations).map(([key, { title, description, config }]) => (
                <div key={key}>
                  <span>
                    <AppLink href={`/settings/integrations?shop=${encodeURIComponent(key)}`}>
                      {title ?? key}
                    </AppLink>
                    <br />
                    <span className="fa-faint">{description}</span>
                  </span>
                  <Switch
                    aria-label={title ?? key}
                    checked={config?.is_enabled === 'yes'}
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
                </div>
              ))}
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}
