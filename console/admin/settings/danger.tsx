import type { ReactNode } from 'react';
import { ConfirmButton } from '../../shared/buttons.js';
import { useWrite } from '../../shared/data.js';
import { Facts, Panel } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { number, t, word } from '../../shared/texts.js';

/** The confirmation text for deleting everything. */
const CONFIRMATION = 'WIPE ALL DATA';

export function Danger(): ReactNode {
  const wipe = useWrite('migrations.wipe', { quiet: true });
  return (
    <Panel
      title={t('Delete everything')}
      about={t(
        'Affiliates, groups, commissions, clicks, payouts, customers and creatives. Settings are kept. Only a backup can restore them.',
      )}
    >
      <QueryView of="migrations.list">
        {({ data_counts }) => (
          <div className="fa-stack">
            <Facts
              facts={Object.entries(data_counts).map(([key, count]) => ({
                label: word(key),
                value: number(Number(count)),
              }))}
            />
            <div>
              <ConfirmButton
                color="red"
                variant="outline"
                question={{
                  title: t('Delete everything?'),
                  danger: true,
                  type: CONFIRMATION,
                  text: t('Permanently deletes all data listed above.'),
                  yes: t('Delete everything'),
                  run: () => wipe.run({ body: { confirmation: CONFIRMATION } }),
                }}
              >
                {t('Delete everything')}
              </ConfirmButton>
            </div>
          </div>
        )}
      </QueryView>
    </Panel>
  );
}
