import { Alert, Button, Progress, Switch, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { ask } from '../../shared/ask.js';
import { useRead, useWrite, type AnswerOf } from '../../shared/data.js';
import { Loaded, Facts, Panel, Problem, Status } from '../../shared/parts.js';
import { Sheet } from '../../shared/sheet.js';
import { number, t, tn, word } from '../../shared/texts.js';
import { describe, ImportReport, useSentences } from './import-report.js';
import { meaningOf, ShopNames, StatusWords, unknownWords, type Words } from './import-words.js';

const ENDED = new Set(['', 'done', 'completed', 'finished']);

/** What a person says about the source. */
interface SourceForm {
  readonly currency?: string;
  readonly source_zone?: string;
  readonly status_words?: Words;
  readonly providers?: Words;
}

type Setup = AnswerOf<'migrations.check'>['setup'];

/** One source: what is there, what would be decided, the run, and what came of it. */
export function ImportRun({ migrator }: { migrator: string }): ReactNode {
  const before = useRead('migrations.statistics', { query: { migrator } });
  const status = useRead('migrations.status', { query: { migrator } }, { every: 2000 });
  const start = useWrite('migrations.start', { quiet: true, done: null });
  const cancel = useWrite('migrations.cancel', { quiet: true, done: null });
  const [settings, setSettings] = useState<SourceForm>({});
  const [apply, setApply] = useState(false);
  const said = Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== '' && Object.keys(value).length > 0),
  ) as SourceForm;
  const progress = status.data?.progress ?? null;
  const stage = status.data?.current_stage ?? '';
  const running = progress !== null && !status.data?.cancelled && !ENDED.has(stage);
  const queries = useQueryClient();
  const isKnown = status.data !== undefined;
  const shownStage = useRef<string | null>(null);
  useEffect(() => {
    if (isKnown && shownStage.current !== null && shownStage.current !== stage)
      void queries.invalidateQueries(); // counts and report of the stage that ended
    if (isKnown) shownStage.current = stage;
  }, [isKnown, stage, queries]);
  return (
    <>
      <Panel title={t('What is there')}>
        <Loaded of={before}>{({ statistics }) => <Counts value={statistics} />}</Loaded>
      </Panel>
      <DryRun migrator={migrator} said={said} values={settings} onSettings={setSettings} />
      <Panel
        title={t('Move in')}
        about={t(
          'You can leave this page; the import continues by itself. Rows that are here already are not imported twice.',
        )}
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
                  title: t('Start the import?'),
                  text: t(
                    'You can leave this page; the import continues by itself. Rows that are here already are not imported twice.',
                  ),
                  yes: t('Start'),
                  run: () =>
                    start.run({ body: { migrator, ...said, ...(apply && { apply_settings: 'yes' }) } }),
                })
              }
            >
              {t('Start')}
            </Button>
          )
        }
      >
        <div className="fa-stack">
          <Switch
            label={t('Take rates, cookie days, link variable and minimum payout of the old program too')}
            checked={apply}
            disabled={running}
            onChange={(event) => setApply(event.currentTarget.checked)}
          />
          {status.data?.error && (
            <Alert color="red" title={t('It stopped')}>
              {status.data.error}
            </Alert>
          )}
          {progress !== null && <Course progress={progress} stage={stage} />}
        </div>
      </Panel>
      <ImportReport migrator={migrator} running={running} />
    </>
  );
}

type ProgressOf = NonNullable<AnswerOf<'migrations.status'>['progress']>;

const Course = ({ progress, stage }: { progress: ProgressOf; stage: string }): ReactNode => (
  <div className="fa-stack" role="status">
    <span className="fa-strong">{word(stage)}</span>
    <Progress
      value={progress.total === 0 ? 100 : (progress.processed / progress.total) * 100}
      aria-label={t('Progress')}
    />
    <span className="fa-number">
      {ENDED.has(stage)
        ? tn('{count} row', '{count} rows', progress.processed)
        : t('{done} of {total} rows, {rate} per second', {
            done: number(progress.processed),
            total: number(progress.total),
            rate: number(progress.per_second),
          })}
      {!ENDED.has(stage) &&
        progress.remaining_seconds !== null &&
        `, ${tn('{count} second left', '{count} seconds left', progress.remaining_seconds)}`}
    </span>
  </div>
);

/** Asks the source and tells what would be decided; nothing is stored. */
function DryRun({
  migrator,
  said,
  values,
  onSettings,
}: {
  migrator: string;
  said: SourceForm;
  values: SourceForm;
  onSettings: (values: SourceForm) => void;
}): ReactNode {
  const check = useWrite('migrations.check', { quiet: true, done: null });
  const [setup, setSetup] = useState<Setup | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [unknown, setUnknown] = useState<ReturnType<typeof unknownWords>>([]);
  const look = (): void => {
    setError(null);
    setSetup(null);
    void check.run({ body: { migrator, ...said } }).then(
      ({ setup: found }) => setSetup(found),
      (problem: unknown) => {
        setError(problem);
        const words = unknownWords(problem);
        if (words.length > 0) setUnknown(words);
      },
    );
  };
  return (
    <Panel
      title={t('Dry run')}
      about={t('Reads the source and tells what it would decide. Nothing is stored.')}
      actions={
        <Button variant="default" loading={check.running} onClick={look}>
          {t('Try')}
        </Button>
      }
    >
      <div className="fa-stack">
        <div className="fa-two">
          <TextInput
            label={t('Currency of the old program')}
            description={t('Only where the source does not tell it.')}
            placeholder="EUR"
            value={values.currency ?? ''}
            onChange={(event) => onSettings({ ...values, currency: event.currentTarget.value.trim() })}
          />
          <TextInput
            label={t('Time zone of the old site')}
            description={t('Only where the source does not tell it.')}
            placeholder="Europe/Berlin"
            value={values.source_zone ?? ''}
            onChange={(event) => onSettings({ ...values, source_zone: event.currentTarget.value.trim() })}
          />
        </div>
        {error !== null && <Problem error={error} />}
        {unknown.length > 0 && (
          <StatusWords
            words={unknown}
            value={values.status_words ?? {}}
            onChange={(words) => onSettings({ ...values, status_words: words })}
          />
        )}
        {setup !== null && (
          <ShopNames
            shops={setup.shops}
            value={values.providers ?? {}}
            onChange={(providers) => onSettings({ ...values, providers })}
          />
        )}
        {setup !== null && (
          <div role="status">
            <Facts
              facts={[
                { label: t('Currency'), value: setup.currency },
                { label: t('Time zone'), value: setup.site_zone },
                ...Object.entries(setup.status_words).map(([old, ours]) => ({
                  label: t('“{word}” becomes', { word: old }),
                  value: meaningOf(ours),
                })),
                ...setup.emails.map(({ rows, row, column, value }) => ({
                  label: t('Not a valid e-mail address: {place}', {
                    place: `${word(rows)} ${row}, ${word(column)}`,
                  }),
                  value,
                })),
                ...setup.unread.map(({ table, column, rows }) => ({
                  label: t('Not read: {name}', { name: column === null ? table : `${table}.${column}` }),
                  value: tn('{count} row', '{count} rows', rows),
                })),
              ]}
            />
            <Trial of={setup.trial} />
          </div>
        )}
      </div>
    </Panel>
  );
}

/** Per kind of row, how many would come in; and which would not, and why. */
function Trial({ of: { stages, left_out, complete } }: { of: Setup['trial'] }): ReactNode {
  const known = useSentences();
  return (
    <>
      <h3>{t('What would come in')}</h3>
      <Sheet
        rows={Object.entries(stages)}
        rowKey={([stage]) => stage}
        columns={[
          { label: t('Rows'), cell: ([stage]) => word(stage) },
          { label: t('Would come in'), number: true, cell: ([, { imported }]) => number(imported) },
          { label: t('Here already'), number: true, cell: ([, { existing }]) => number(existing) },
          { label: t('Left out'), number: true, cell: ([, { skipped }]) => number(skipped) },
        ]}
      />
      {!complete && (
        <p className="fa-about">
          {t(
            'Of each kind, only the first {count} rows were tried. Payouts were not, because they need all commissions.',
            { count: number(50_000) },
          )}
        </p>
      )}
      {left_out.length > 0 && (
        <>
          <h3>{t('Rows that would be left out')}</h3>
          <ul className="fa-risks">
            {left_out.map(({ stage, line, source_id, sentence, advice }) => (
              <li key={`${stage} ${source_id}`}>
                <Status
                  of="skipped"
                  label={
                    line === null
                      ? `${word(stage)} ${source_id}`
                      : t('{file}, row {row}', { file: word(stage), row: number(line) })
                  }
                />
                <span>{known && `${describe(sentence)} ${describe(advice)}`}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** Rows of the source per kind, and how many are here. */
const Counts = ({ value }: { value: object }): ReactNode => (
  <Facts
    columns={2}
    facts={Object.entries(value).map(([key, inner]) => ({
      label: word(key),
      value:
        typeof inner === 'number'
          ? number(inner)
          : Object.entries((inner ?? {}) as Readonly<Record<string, unknown>>)
              .map(
                ([name, count]) =>
                  `${word(name)}: ${typeof count === 'number' ? number(count) : String(count)}`,
              )
              .join(' · '),
    }))}
  />
);
