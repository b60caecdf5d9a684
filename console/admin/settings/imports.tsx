import { Select } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useAddress } from '../../shared/address.js';
import { useRead } from '../../shared/data.js';
import { Loaded, Panel } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { ImportFiles } from './import-files.js';
import { ImportRun } from './import-run.js';

const CSV = 'csv';

/** Imports from another system: check, run, compare. */
export function Imports(): ReactNode {
  const reading = useRead('migrations.list');
  const address = useAddress();
  const known = reading.data?.migrators ?? [];
  const sources = [...known.filter(({ slug }) => slug !== CSV), { slug: CSV, name: t('CSV files') }];
  const source = address.get('source', sources[0]?.slug);
  const [isAsked, setAsked] = useState(false);
  const isReady = known.some(({ slug }) => slug === source);
  return (
    <div className="fa-stack">
      <Panel
        title={t('Imports')}
        about={t(
          'Import affiliates, commissions, payouts and clicks from another system, and compare the totals. The import sends no mails.',
        )}
      >
        <Loaded of={reading}>
          {() => (
            <Select
              label={t('Source')}
              description={t(
                'Databases of other systems appear here when your developer has connected them.',
              )}
              maw={420}
              data={sources.map(({ slug, name }) => ({ value: slug, label: name }))}
              value={source}
              onChange={(slug) => address.set({ source: slug })}
            />
          )}
        </Loaded>
      </Panel>
      {source === CSV && <ImportFiles onAsked={setAsked} />}
      {isReady && <ImportRun key={source} migrator={source} isBlocked={source === CSV && isAsked} />}
    </div>
  );
}
