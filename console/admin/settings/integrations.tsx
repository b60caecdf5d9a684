import { Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../shared/address.js';
import { useWrite } from '../../shared/data.js';
import { AppLink, Empty, Panel } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { t } from '../../shared/texts.js';
import { IntegrationSetUp } from './integration.js';
import { PasteLines } from './paste-lines.js';

/** Shops and payment systems that report orders: the list, or one with its settings and deliveries. */
export function Integrations(): ReactNode {
  const open = useAddress().get('shop');
  return open === '' ? <All /> : <IntegrationSetUp key={open} integration={open} />;
}

const CONNECT_LINES = `import { woo } from 'affiliate-service/adapters';

createAffiliateService(host, {
  providers: [woo({ secrets: [process.env.SHOP_SECRET], stores: ['https://shop.example'] })],
});`;

function All(): ReactNode {
  const status = useWrite('integrations.update_status');
  return (
    <Panel title={t('Integrations')} about={t('Shops and payment systems that report orders.')}>
      <QueryView of="integrations.list">
        {({ integrations }) =>
          Object.keys(integrations).length === 0 ? (
            <>
              <Empty
                title={t('No shop is connected')}
                text={t(
                  'Nothing is missing if the code of your shop reports its orders. Otherwise a developer connects the shop, and you turn it on here.',
                )}
              />
              <PasteLines
                about={t('WooCommerce is an example. Other shops are connected in the same place.')}
                lines={CONNECT_LINES}
                open={false}
              />
            </>
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
