import { Alert, Button, Progress, Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../shared/address.js';
import { ask } from '../../shared/ask.js';
import { useRead, useWrite } from '../../shared/data.js';
import { Answer, Empty, Facts, Panel } from '../../shared/parts.js';
import { number, t, tn, word } from '../../shared/texts.js';

/** Moving in from another system: look, run, compare. */
export function Imports(): ReactNode {
  const sources = useRead('migrations.list');
  const address = useAddress();
  return (
    <div className="fa-stack">
      <Panel
        title={t('Imports')}
        about={t(
          'Affiliates, referrals, payouts and visits of another system, with the sums before and after. Nothing is sent to anybody.',
        )}
      >
        <Answer of={sources}>
          {({ migrators }) =>
            migrators.length === 0 ? (
              <Empty
                title={t('No source is set up')}
                text={t(
                  'The site names where data come from when it starts the service (option `migrators`): another plugin’s database or CSV files.',
                )}
              />
            ) : (
              <Select
                label={t('Source')}
                w={320}
                data={migrators.map(({ slug, name }) => ({ value: slug, label: name }))}
                value={address.get('source', migrators[0]?.slug)}
                onChange={(source) => address.set({ source })}
              />
            )
          }
        </Answer>
      </Panel>
      {sources.data !== undefined && sources.data.migrators.length > 0 && (
        <Run key={address.get('source')} migrator={address.get('source', sources.data.migrators[0]?.slug)} />
      )}
    </div>
  );
}

function Run({ migrator }: { migrator: string }): ReactNode {
  const before = useRead('migrations.statistics', { query: { migrator } });
  const status = useRead('migrations.status', { query: { migrator } }, { every: 2000 });
  const report = useRead('migrations.report', { query: { migrator } });
  const start = useWrite('migrations.start', { quiet: true, done: null });
  const cancel = useWrite('migrations.cancel', { quiet: true, done: null });
  const progress = status.data?.progress;
  const stage = status.data?.current_stage ?? '';
  const running =
    progress !== null &&
    progress !== undefined &&
    !status.data?.cancelled &&
    !['', 'done', 'completed', 'finished'].includes(stage);
  return (
    <>
      <Panel
        title={t('What is there')}
        actions={
          running ? (
            <Button
              variant="default"
              onClick={() => void cancel.run({ body: { migrator } }).catch(() => undefined)}
            >
              {t('Stop after this batch')}
            </Button>
          ) : (
            <Button
              onClick={() =>
                ask({
                  title: t('Start moving in?'),
                  text: t(
                    'It can be left and goes on by itself. Rows that are here already are not taken twice.',
                  ),
                  yes: t('Start'),
                  run: () => start.run({ body: { migrator } }),
                })
              }
            >
              {t('Start')}
            </Button>
          )
        }
      >
        <Answer of={before}>{({ statistics }) => <Figures value={statistics} />}</Answer>
      </Panel>
      {status.data?.error && (
        <Alert color="red" title={t('It stopped')}>
          {status.data.error}
        </Alert>
      )}
      {progress && (
        <Panel title={t('Progress')} about={word(stage)}>
          <div className="fa-stack" role="status">
            <Progress
              value={progress.total === 0 ? 100 : (progress.processed / progress.total) * 100}
              aria-label={t('Progress')}
            />
            <span className="fa-number">
              {t('{done} of {total} rows, {rate} per second', {
                done: number(progress.processed),
                total: number(progress.total),
                rate: number(progress.per_second),
              })}
              {progress.remaining_seconds !== null &&
                `, ${tn('{count} second left', '{count} seconds left', progress.remaining_seconds)}`}
            </span>
          </div>
        </Panel>
      )}
      {report.data?.report && (
        <Panel title={t('Report')} about={t('Counts, and sums before and after.')}>
          <Figures value={report.data.report} />
        </Panel>
      )}
    </>
  );
}

/** A tree of names and figures as pairs. */
function Figures({ value }: { value: unknown }): ReactNode {
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value);
  return (
    <Facts
      facts={entries.map(([key, inner]) => ({
        label: word(key),
        value:
          typeof inner === 'number' ? (
            number(inner, 2)
          ) : typeof inner === 'object' && inner !== null ? (
            <Figures value={inner} />
          ) : (
            String(inner as string)
          ),
      }))}
    />
  );
}
