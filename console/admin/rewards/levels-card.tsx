import { ActionIcon, Button, Select, Switch, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ChoiceInput } from '../../shared/choice-input.js';
import { Panel } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { useGroups } from '../people.js';
import type { LevelsDraft } from './draft.js';
import { faultAt, faultsBeside, type Faults } from './faults.js';
import { LeastInput, metricChoices, windowChoices } from './rule-card.js';

const NEW: LevelsDraft = {
  metric: 'sales',
  window: 'month',
  steps: [{ at_least: '0', group: '' }],
  down: true,
  grace_days: '0',
};

/** Levels: groups that affiliates move between by their results. */
export function LevelsCard({
  levels,
  faults,
  onChange,
}: {
  readonly levels: LevelsDraft | null;
  readonly faults: Faults;
  readonly onChange: (levels: LevelsDraft | null) => void;
}): ReactNode {
  const groups = useGroups();
  const beside = faultsBeside(faults, [
    'grace_days',
    ...(levels?.steps ?? []).flatMap((_, at) => [`steps/${at}/at_least`, `steps/${at}/group`]),
  ]);
  const put = (patch: Partial<LevelsDraft>): void => onChange({ ...(levels ?? NEW), ...patch });
  return (
    <Panel
      title={t('Levels')}
      about={t(
        'Once in each period, affiliates move to the group of the highest level they reached. You can pin an affiliate to its group.',
      )}
      actions={
        <Switch
          label={t('Use levels')}
          checked={levels !== null}
          onChange={(event) => onChange(event.currentTarget.checked ? NEW : null)}
        />
      }
    >
      {levels !== null && (
        <div className="fa-stack">
          <div className="fa-rule-grid">
            <ChoiceInput
              label={t('What counts')}
              data={metricChoices()}
              value={levels.metric}
              onChange={(metric) => put({ metric })}
            />
            <ChoiceInput
              label={t('In')}
              data={windowChoices()}
              value={levels.window}
              onChange={(window) => put({ window, ...(window === 'all_time' && { grace_days: '0' }) })}
            />
            {levels.window !== 'all_time' && levels.down && (
              <TextInput
                label={t('Grace days before a level is lost')}
                inputMode="numeric"
                value={levels.grace_days}
                error={faultAt(faults, 'grace_days')}
                onChange={(event) => put({ grace_days: event.currentTarget.value })}
              />
            )}
          </div>
          {levels.steps.map((step, at) => {
            const set = (patch: Partial<typeof step>): void =>
              put({
                steps: levels.steps.map((each, index) => (index === at ? { ...each, ...patch } : each)),
              });
            return (
              <div
                key={at}
                className="fa-level-row"
                role="group"
                aria-label={t('Level {number}', { number: at + 1 })}
              >
                <LeastInput
                  metric={levels.metric}
                  value={step.at_least}
                  fault={faultAt(faults, `steps/${at}/at_least`)}
                  onChange={(least) => set({ at_least: least })}
                />
                <Select
                  label={t('Group')}
                  data={[...groups]}
                  value={step.group === '' ? null : step.group}
                  error={faultAt(faults, `steps/${at}/group`)}
                  onChange={(group) => set({ group: group ?? '' })}
                  nothingFoundMessage={t('There is no group yet')}
                />
                <ActionIcon
                  aria-label={t('Remove level {number}', { number: at + 1 })}
                  disabled={levels.steps.length === 1}
                  onClick={() => put({ steps: levels.steps.filter((_, index) => index !== at) })}
                >
                  <IconTrash size={15} />
                </ActionIcon>
              </div>
            );
          })}
          <div className="fa-row">
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconPlus size={14} />}
              onClick={() => put({ steps: [...levels.steps, { at_least: '', group: '' }] })}
            >
              {t('Add a level')}
            </Button>
            <Switch
              label={t('Affiliates move down too')}
              checked={levels.down}
              onChange={(event) => put({ down: event.currentTarget.checked })}
            />
          </div>
          {beside.map((fault) => (
            <p key={fault} className="fa-error" role="alert">
              {fault}
            </p>
          ))}
        </div>
      )}
    </Panel>
  );
}
