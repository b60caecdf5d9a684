import { Button, Textarea, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { ruleSentences } from '../../../src/core/rewards/terms.js';
import type { RewardRule } from '../../../src/core/rewards/types.js';
import { goToFault } from '../../shared/form.js';
import { confirmFirst } from '../../shared/confirm.js';
import { boot } from '../../shared/boot.js';
import { ConfirmButton } from '../../shared/buttons.js';
import { useRead, useWrite } from '../../shared/data.js';
import { dateTime } from '../../shared/dates.js';
import { Loaded, AppLink, Panel, Problem, Status } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { sentenceIn } from '../../shared/rewards.js';
import { t } from '../../shared/texts.js';
import {
  draftsOf,
  levelsDraft,
  levelsOf,
  newDraft,
  rulesOf,
  type Draft,
  type RewardSet,
  type Rule,
} from './draft.js';
import { Example } from './example.js';
import { areAllPlaced, faultsIn } from './faults.js';
import { LevelsCard } from './levels-card.js';
import { RuleCard, type FactList } from './rule-card.js';
import { changeText, Simulation } from './simulation.js';

/** Translated titles and sentences of rules. */
export const ruleText = (rule: Rule): string => {
  const { currency } = boot().program;
  const text = sentenceIn(ruleSentences(rule as unknown as RewardRule, currency));
  return rule.title === '' ? text : `${rule.title} – ${text}`;
};

/** A rule set: drafts can be edited, simulated and activated, others are read-only. */
export function SetPage({ id }: { id: number }): ReactNode {
  const facts = useRead('rewards.facts');
  return (
    <div className="fa-stack">
      <div>
        <AppLink href="/settings/rewards">← {t('All rule sets')}</AppLink>
      </div>
      <QueryView of="rewards.get" input={{ params: { id } }} fresh lines={8}>
        {({ reward_rules: set }) =>
          set.state === 'draft' ? (
            <Loaded of={facts} lines={8}>
              {({ facts: known }) => <Editor key={set.id} set={set} facts={known} />}
            </Loaded>
          ) : (
            <ReadOnlyRules set={set} />
          )
        }
      </QueryView>
    </div>
  );
}

const setTitle = ({ version }: RewardSet): string => t('Rule set {version}', { version });

function ReadOnlyRules({ set }: { set: RewardSet }): ReactNode {
  return (
    <Panel
      title={setTitle(set)}
      about={set.note}
      actions={
        <Status
          of={set.state}
          label={stateText(set.state)}
          tone={set.state === 'active' ? 'green' : 'gray'}
        />
      }
    >
      <ul className="fa-rules">
        {set.rules.map((rule) => (
          <li key={rule.key}>{ruleText(rule)}</li>
        ))}
      </ul>
      {set.effective_from !== null && (
        <p className="fa-faint">
          {set.effective_until === null
            ? t('Active from {from}', { from: dateTime(set.effective_from) })
            : t('Active from {from} until {until}', {
                from: dateTime(set.effective_from),
                until: dateTime(set.effective_until),
              })}
        </p>
      )}
    </Panel>
  );
}

export const stateText = (state: RewardSet['state']): string =>
  ({ draft: t('Draft'), active: t('Active'), retired: t('Ended') })[state];

function Editor({ set, facts }: { set: RewardSet; facts: FactList }): ReactNode {
  const [drafts, setDrafts] = useState<readonly Draft[]>(() => draftsOf(set.rules));
  const [levels, setLevels] = useState(() => levelsDraft(set.levels));
  const [note, setNote] = useState(set.note);
  const [dragged, setDragged] = useState<number | null>(null);
  const save = useWrite('rewards.update', { quiet: true });
  const { error } = save;
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error !== null) goToFault(frame.current);
  }, [error]);
  const kinds = useMemo(() => new Map(facts.map(({ fact, kind }) => [fact, kind])), [facts]);
  const rules = rulesOf(drafts, kinds);
  const isSaved =
    JSON.stringify([drafts, levels, note]) ===
    JSON.stringify([draftsOf(set.rules), levelsDraft(set.levels), set.note]);
  const move = (from: number, to: number): void =>
    setDrafts((known) => {
      const rest = known.toSpliced(from, 1);
      return rest.toSpliced(to, 0, known[from]!);
    });
  const onSave = async (): Promise<void> => {
    const body = { rules, levels: levelsOf(levels), note };
    const { reward_rules: saved } = await save.run({ params: { id: set.id }, body });
    setDrafts(draftsOf(saved.rules));
    setLevels(levelsDraft(saved.levels));
    setNote(saved.note);
  };
  return (
    <>
      <Panel
        title={setTitle(set)}
        about={t(
          'Rules are checked from top to bottom: links first, then affiliates, groups and everyone. Drag a rule, or use the arrows.',
        )}
        actions={<Status of="draft" label={stateText('draft')} />}
      >
        <Textarea
          label={t('Note')}
          autosize
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
      </Panel>
      <div className="fa-rules-editor" ref={frame}>
        <div className="fa-stack">
          {drafts.map((draft, at) => (
            <RuleCard
              key={draft.key}
              draft={draft}
              place={at}
              last={drafts.length - 1}
              facts={facts}
              faults={faultsIn(error, `/rules/${at}`)}
              onChange={(next) => setDrafts((known) => known.toSpliced(at, 1, next))}
              onMove={(to) => move(at, to)}
              onRemove={() => setDrafts((known) => known.toSpliced(at, 1))}
              onDrag={setDragged}
              onDrop={() => {
                if (dragged !== null) move(dragged, at);
                setDragged(null);
              }}
            />
          ))}
          <div>
            <Button
              variant="default"
              leftSection={<IconPlus size={15} />}
              onClick={() => setDrafts((known) => [...known, newDraft(known.map(({ key }) => key))])}
            >
              {t('Add a rule')}
            </Button>
          </div>
          <LevelsCard levels={levels} faults={faultsIn(error, '/levels')} onChange={setLevels} />
          {error !== null && !areAllPlaced(error) && <Problem error={error} />}
          <div className="fa-form-buttons fa-rules-save">
            <Button
              loading={save.running}
              disabled={isSaved}
              onClick={() => void onSave().catch(() => undefined)}
            >
              {t('Save the draft')}
            </Button>
            <Remove id={set.id} />
          </div>
        </div>
        <div className="fa-stack">
          <Example rules={rules} />
          <Differences rules={rules} />
        </div>
      </div>
      <Simulation id={set.id} isSaved={isSaved} />
      <Activation set={set} isSaved={isSaved} />
    </>
  );
}

function Remove({ id }: { id: number }): ReactNode {
  const remove = useWrite('rewards.remove', { quiet: true });
  return (
    <ConfirmButton
      variant="subtle"
      color="gray"
      question={{
        title: t('Delete this draft?'),
        text: t('Deletes its rules and its simulation.'),
        yes: t('Delete'),
        danger: true,
        run: async () => {
          await remove.run({ params: { id } });
          location.assign(new URL('rewards', location.href));
        },
      }}
    >
      {t('Delete the draft')}
    </ConfirmButton>
  );
}

/** Differences between the draft and the active rules. */
function Differences({ rules }: { rules: readonly Rule[] }): ReactNode {
  const sets = useRead('rewards.list', { query: { per_page: 100 } });
  const active = sets.data?.reward_rules.data.find(({ state }) => state === 'active');
  if (active === undefined) return null;
  const [old, next] = [active.rules.map(ruleText), rules.map(ruleText)];
  const added = next.filter((text) => !old.includes(text));
  const gone = old.filter((text) => !next.includes(text));
  return (
    <Panel title={t('Compared with the active rules')}>
      {added.length + gone.length === 0 ? (
        <p className="fa-faint">{t('The same rules.')}</p>
      ) : (
        <ul className="fa-rules">
          {added.map((text) => (
            <li key={`+${text}`} className="fa-plus">
              + {text}
            </li>
          ))}
          {gone.map((text) => (
            <li key={`-${text}`} className="fa-faint">
              − {text}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** Activates the draft, after a confirmation with the result of its simulation. */
function Activation({ set, isSaved }: { set: RewardSet; isSaved: boolean }): ReactNode {
  const activate = useWrite('rewards.activate', { quiet: true });
  const [from, setFrom] = useState('');
  const simulation = useRead('rewards.simulation', { params: { id: set.id } }).data?.simulation;
  const result = simulation?.state === 'done' ? simulation.result : null;
  const sums = result?.totals.map(changeText).join(', ');
  const press = (): void =>
    confirmFirst({
      title: t('Activate rule set {version}?', { version: set.version }),
      danger: !result,
      yes: t('Activate'),
      text: (
        <>
          <p>
            {result
              ? t('In the simulated days, commissions would have changed: {sums}.', { sums: sums || '0' })
              : t('This draft has no simulation. Simulate it first to see what it pays.')}
          </p>
          <p>
            {from === ''
              ? t('Applies to new orders immediately. Recorded commissions stay.')
              : t('Applies to new orders from {day}. Recorded commissions stay.', { day: from })}
          </p>
          {set.rules.some(({ event }) => event === 'bonus') && (
            <p>
              {t('Goals count from the beginning of their period, so some bonuses may be earned at once.')}
            </p>
          )}
          <p>{t('Affiliates whose rates change get a mail, unless it is switched off.')}</p>
        </>
      ),
      run: () =>
        activate.run({
          params: { id: set.id },
          body: {
            ...(result && simulation?.hash ? { simulation: simulation.hash } : { without_simulation: true }),
            ...(from !== '' && { effective_from: new Date(from).getTime() }),
          },
        }),
    });
  return (
    <Panel title={t('Activate')} about={t('The current rules end when these begin.')}>
      <div className="fa-row">
        <TextInput
          type="datetime-local"
          label={t('From (empty: now)')}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <Button style={{ alignSelf: 'end' }} disabled={!isSaved} loading={activate.running} onClick={press}>
          {t('Activate…')}
        </Button>
      </div>
    </Panel>
  );
}
