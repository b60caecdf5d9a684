import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { ask } from '../../shared/ask.js';
import { useRead, useWrite } from '../../shared/data.js';
import { Loaded, Facts, Panel } from '../../shared/parts.js';
import { number, t, word } from '../../shared/texts.js';

/** The word the service asks for before everything is deleted. */
const CONFIRMATION = 'WIPE ALL DATA';

export function Danger(): ReactNode {
  const counts = useRead('migrations.list');
  const wipe = useWrite('migrations.wipe', { quiet: true });
  return (
    <Panel
      title={t('Delete everything')}
      about={t(
        'Affiliates, groups, referrals, visits, payouts, customers and creatives. Settings stay. Only a backup can bring them back.',
      )}
    >
      <Loaded of={counts}>
        {({ data_counts }) => (
          <div className="fa-stack">
            <Facts
              facts={Object.entries(data_counts).map(([key, count]) => ({
                label: word(key),
                value: number(Number(count)),
              }))}
            />
            <div>
              <Button
                color="red"
                variant="outline"
                onClick={() =>
                  ask({
                    title: t('Delete everything?'),
                    danger: true,
                    type: CONFIRMATION,
                    text: t('All rows listed before are removed for good.'),
                    yes: t('Delete everything'),
                    run: () => wipe.run({ body: { confirmation: CONFIRMATION } }),
                  })
                }
              >
                {t('Delete everything')}
              </Button>
            </div>
          </div>
        )}
      </Loaded>
    </Panel>
  );
}
