import { Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../shared/address.js';
import { useWrite } from '../../shared/data.js';
import { AppLink, Empty, Panel } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { t } from '../../shared/texts.js';
import { IntegrationSetUp } from './integration.js';

/** Shops and payment systems that report orders: the list, or one with its settings and deliveries. */
export function Integrations(): ReactNode {
  const open = useAddress().get('shop');
  return open === '' ? <All /> : <IntegrationSetUp key={open} integration={open} />;
}

function All(): ReactNode {
  const status = useWrite('integrations.update_status');
  return (
    <Panel title={t('Integrations')} about={t('Shops and payment systems that report orders.')}>
      <QueryView of="integrations.list">
        {({ integrations }) =>
          Object.keys(integrations).length === 0 ? (
            <Empty
              title={t('No integrations')}
              text={t('Set your shops in the option providers. Orders that your code reports need none.')}
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
                      status.press({
                        body: { integration: key, is_enabled: event.currentTarget.checked ? 'yes' : 'no' },
                      })
                    }
                  />
                </div>
              ))}
            </div>
          )
        }
      </QueryView>
    </Panel>
  );
}
