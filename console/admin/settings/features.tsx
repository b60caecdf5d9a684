import { Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRead, useWrite } from '../../shared/data.js';
import { Loaded, Panel } from '../../shared/parts.js';
import { fromServer, t } from '../../shared/texts.js';

interface Feature {
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly is_enabled: string;
}

export function Features(): ReactNode {
  const reading = useRead('settings.features');
  return (
    <Panel title={t('Features')} about={t('What affiliates find in their portal beside the basics.')}>
      <Loaded of={reading}>
        {({ features }) => (
          <div className="fa-rows">
            {features.map((feature) => (
              <One key={feature.key} feature={feature} />
            ))}
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

function One({ feature }: { feature: Feature }): ReactNode {
  const details = useRead('settings.feature', { params: { feature_key: feature.key } });
  const save = useWrite('settings.save_feature');
  const settings = details.data?.settings;
  return (
    <div>
      <span>
        <span className="fa-strong">{fromServer(feature.title)}</span>
        <br />
        <span className="fa-faint">{fromServer(feature.description)}</span>
      </span>
      <Switch
        aria-label={fromServer(feature.title)}
        checked={feature.is_enabled === 'yes'}
        disabled={save.running || details.data === undefined}
        onChange={(event) =>
          void save
            .run({
              params: { feature_key: feature.key },
              body: {
                is_enabled: event.currentTarget.checked ? 'yes' : 'no',
                ...(settings !== undefined && { settings }),
              },
            })
            .catch(() => undefined)
        }
      />
    </div>
  );
}
