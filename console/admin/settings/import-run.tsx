import { Alert, Button, Progress, Switch, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { ConfirmButton } from '../../shared/buttons.js';
import { ApiError, useRead, useSentences, useWrite, type ResponseOf } from '../../shared/data.js';
import { Facts, Panel, Problem, Status } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { Sheet } from '../../shared/sheet.js';
import { number, t, tn, word } from '../../shared/texts.js';
import { describe, ImportReport } from './import-report.js';
import {
  columnName,
  meaningOf,
  placeOf,
  ShopNames,
  StatusMap,
  unmappedWords,
  type WordMap,
} from './import-words.js';

const ENDED = new Set(['', 'done', 'completed', 'finished']);

/** Settings of the source. */
interface SourceForm {
  readonly currency?: string;
  readonly source_zone?: string;
  readonly status_words?: WordMap;
  readonly providers?: WordMap;
}

type Setup = ResponseOf<'migrations.check'>['setup'];

/** The import of one source: its rows, a dry run, the run and its report. */
export function ImportRun({
  migrator,
  isBlocked,
}: {
  migrator: string;
  /** Its files still need an answer. */
  isBlocked: boolean;
}): ReactNode {
  const status = useRead('migrations.status', { query: { migrator } }, { every: 2000 });
  const start = useWrite('migrations.start', { quiet: true, done: null });
  const cancel = useWrite('migrations.cancel', { quiet: true, done: null });
  const [settings, setSettings] = useState<SourceForm>({});
  const [apply, setApply] = useState(false);
  const input = Object.fromEntries(
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
      void queries.invalidateQueries(); // refresh counts and report after a stage
    if (isKnown) shownStage.current = stage;
  }, [isKnown, stage, queries]);
  return (
    <>
      <Panel title={t('Rows')}>
        <QueryView of="migrations.statistics" input={{ query: { migrator } }}>
          {({ statistics }) => <Counts value={statistics} />}
        </QueryView>
      </Panel>
      <DryRun
        migrator={migrator}
        input={input}
        values={settings}
        isBlocked={isBlocked}
        onSettings={setSettings}
      />
      <Panel
        title={t('Import')}
        about={t('You can leave this page. The import continues and skips rows it has already imported.')}
        actions={
          running ? (
            <Button variant="default" onClick={() => cancel.press({ body: { migrator } })}>
              {t('Stop after this batch')}
            </Button>
          ) : (
            <ConfirmButton
              disabled={isBlocked}
              question={{
                title: t('Start the import?'),
                text: t(
                  'You can leave this page. The import continues and skips rows it has already imported.',
                ),
                yes: t('Start'),
                run: () =>
                  start.run({ body: { migrator, ...input, ...(apply && { apply_settings: 'yes' }) } }),
              }}
            >
              {t('Start')}
            </ConfirmButton>
          )
        }
      >
        <div className="fa-stack">
          <Switch
            label={t('Also import rates, cookie days, link parameter and minimum payout')}
            checked={apply}
            disabled={running}
            onChange={(event) => setApply(event.currentTarget.checked)}
          />
          {status.data?.error && (
            <Alert color="red" title={t('It stopped')}>
              {status.data.error}
            </Alert>
          )}
          {progress !== null && <RunProgress progress={progress} stage={stage} />}
        </div>
      </Panel>
      <ImportReport migrator={migrator} running={running} />
    </>
  );
}

type ProgressOf = NonNullable<ResponseOf<'migrations.status'>['progress']>;

const RunProgress = ({ progress, stage }: { progress: ProgressOf; stage: string }): ReactNode => (
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

const isAboutCurrency = (problem: unknown): boolean =>
  problem instanceof ApiError && problem.code === 'import_currency_unknown';

/** Dry run: shows what would be imported and stores nothing. */
function DryRun({
  migrator,
  input,
  values,
  isBlocked,
  onSettings,
}: {
  migrator: string;
  input: SourceForm;
  values: SourceForm;
  isBlocked: boolean;
  onSettings: (values: SourceForm) => void;
}): ReactNode {
  const check = useWrite('migrations.check', { quiet: true, done: null });
  const [setup, setSetup] = useState<Setup | null>(null);
  const currency = useRef<HTMLInputElement>(null);
  const needsCurrency = isAboutCurrency(check.error);
  const [unknown, setUnknown] = useState<ReturnType<typeof unmappedWords>>([]);
  const look = (): void => {
    setSetup(null);
    void check.run({ body: { migrator, ...input } }).then(
      ({ setup: found }) => setSetup(found),
      (problem: unknown) => {
        if (isAboutCurrency(problem)) currency.current?.focus();
        const words = unmappedWords(problem);
        if (words.length > 0) setUnknown(words);
      },
    );
  };
  return (
    <Panel
      title={t('Dry run')}
      about={t('Reads the source and shows what it would import. Nothing is stored.')}
      actions={
        <Button variant="default" loading={check.running} disabled={isBlocked} onClick={look}>
          {t('Try')}
        </Button>
      }
    >
      <div className="fa-stack">
        {isBlocked && (
          <p className="fa-faint">{t('First answer what the files need, and upload them again.')}</p>
        )}
        <div className="fa-two">
          <TextInput
            label={t('Currency of the old system')}
            ref={currency}
            description={t('Only used if the source doesn’t include it.')}
            error={needsCurrency && t('Enter the currency of the old system, such as EUR.')}
            placeholder="EUR"
            value={values.currency ?? ''}
            onChange={(event) => onSettings({ ...values, currency: event.currentTarget.value.trim() })}
          />
          <TextInput
            label={t('Time zone of the old site')}
            description={t('Only used if the source doesn’t include it.')}
            placeholder="Europe/Berlin"
            value={values.source_zone ?? ''}
            onChange={(event) => onSettings({ ...values, source_zone: event.currentTarget.value.trim() })}
          />
        </div>
        {check.error && !needsCurrency && <Problem error={check.error} />}
        {unknown.length > 0 && (
          <StatusMap
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
                  label: t('Not a valid email address: {place}', {
                    place: `${placeOf(rows, row, migrator === 'csv')}, ${columnName(column)}`,
                  }),
                  value,
                })),
                ...setup.unread.map(({ table, column, rows }) => ({
                  label: t('Not imported: {name}', {
                    name: column === null ? word(table) : `${word(table)}, ${column}`,
                  }),
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

/** Per kind of row, how many would be imported, and which would not and why. */
function Trial({ of: { stages, left_out, complete } }: { of: Setup['trial'] }): ReactNode {
  const known = useSentences();
  return (
    <>
      <h3>{t('What would be imported')}</h3>
      <Sheet
        rows={Object.entries(stages)}
        rowKey={([stage]) => stage}
        columns={[
          { label: t('Rows'), cell: ([stage]) => word(stage) },
          { label: t('Would be imported'), number: true, cell: ([, { imported }]) => number(imported) },
          { label: t('Already here'), number: true, cell: ([, { existing }]) => number(existing) },
          { label: t('Skipped'), number: true, cell: ([, { skipped }]) => number(skipped) },
        ]}
      />
      {!complete && (
        <p className="fa-about">
          {t(
            'Tested the first {count} rows of each kind. Payouts weren’t tested, because they need all commissions.',
            { count: number(50_000) },
          )}
        </p>
      )}
      {left_out.length > 0 && (
        <>
          <h3>{t('Rows that would be skipped')}</h3>
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

/** Rows of the source per kind, and how many are imported. */
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
                  `${word(name === 'migrated' ? 'imported' : name)}: ${typeof count === 'number' ? number(count) : String(count)}`,
              )
              .join(' · '),
    }))}
  />
);
