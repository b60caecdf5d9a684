import { Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRead, useWrite } from '../../shared/data.js';
import { Panel } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { fromServer, t } from '../../shared/texts.js';

interface Feature {
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly is_enabled: string;
}

export const Features = (): ReactNode => (
  <Panel title={t('Features')} about={t('Optional features of the portal.')}>
    <QueryView of="settings.features">
      {({ features }) => (
        <div className="fa-rows">
          {features.map((feature) => (
            <FeatureForm key={feature.key} feature={feature} />
          ))}
        </div>
      )}
    </QueryView>
  </Panel>
);

function FeatureForm({ feature }: { feature: Feature }): ReactNode {
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
          save.press({
            params: { feature_key: feature.key },
            body: {
              is_enabled: event.currentTarget.checked ? 'yes' : 'no',
              ...(settings !== undefined && { settings }),
            },
          })
        }
      />
    </div>
  );
}
