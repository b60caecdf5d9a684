import { ActionIcon, Button, MultiSelect, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconGripVertical, IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { factText, rewardWords } from '../../../src/core/rewards/terms.js';
import { boot } from '../../shared/boot.js';
import { ChoiceInput } from '../../shared/choice-input.js';
import { useRead, type ResponseOf } from '../../shared/data.js';
import { choicesIn } from '../../shared/filters.js';
import { AmountInput } from '../../shared/typed.js';
import { t } from '../../shared/texts.js';
import { useGroups, useSearch } from '../people.js';
import { FaultsContext, faultAt, faultsBeside, useFaults, type Faults } from './faults.js';
import { CAPS, SHORT, type CapName, type Draft, type Row } from './draft.js';

export type FactList = ResponseOf<'rewards.facts'>['facts'];

export const scopeText = (scope: Draft['scope']): string =>
  ({
    link: t('Campaigns and short links'),
    affiliate: t('Single affiliates'),
    group: t('Groups'),
    program: t('Everyone'),
  })[scope];

const capText = (name: CapName): string =>
  ({
    order: t('At most, per order'),
    customer: t('At most, per customer'),
    day: t('At most, per day'),
    month: t('At most, per month'),
    all_time: t('At most, in total'),
  })[name];

export const metricChoices = (): { value: Draft['goal']['metric']; label: string }[] =>
  choicesIn({ sales: t('Sales'), amount: t('Value of sales'), leads: t('Leads'), customers: t('Customers') });
export const windowChoices = (): { value: Draft['goal']['window']; label: string }[] =>
  choicesIn({
    month: t('Calendar month'),
    quarter: t('Quarter'),
    '30_days': t('Period of 30 days'),
    all_time: t('All time'),
  });

/** The threshold of a goal or level: an amount or a count. */
export const LeastInput = ({
  metric,
  value,
  fault,
  onChange,
}: {
  metric: Draft['goal']['metric'];
  value: string;
  fault: string | undefined;
  onChange: (value: string) => void;
}): ReactNode =>
  metric === 'amount' ? (
    <AmountInput label={t('At least')} value={value} error={fault} onChange={onChange} />
  ) : (
    <TextInput
      label={t('At least')}
      inputMode="numeric"
      error={fault}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );

interface CardProps {
  readonly draft: Draft;
  readonly place: number;
  readonly last: number;
  readonly facts: FactList;
  readonly faults: Faults;
  readonly onChange: (draft: Draft) => void;
  readonly onMove: (to: number) => void;
  readonly onRemove: () => void;
  readonly onDrag: (at: number | null) => void;
  readonly onDrop: () => void;
}

/** The form of one rule. */
export function RuleCard(props: CardProps): ReactNode {
  const { draft, place, last, faults, onChange } = props;
  const name = draft.title || draft.key;
  const put = (patch: Partial<Draft>): void => onChange({ ...draft, ...patch });
  const isBonus = draft.event === 'bonus';
  const beside = faultsBeside(faults, fieldsOf(draft));
  return (
    <FaultsContext value={faults}>
      <fieldset className="fa-rule-card" onDragOver={(event) => event.preventDefault()} onDrop={props.onDrop}>
        <legend className="fa-hidden">{t('Rule {number}: {name}', { number: place + 1, name })}</legend>
        <div className="fa-rule-head">
          <span
            className="fa-grip"
            draggable
            onDragStart={() => props.onDrag(place)}
            onDragEnd={() => props.onDrag(null)}
            aria-hidden="true"
          >
            <IconGripVertical size={16} />
          </span>
          <TextInput
            aria-label={t('Title')}
            placeholder={t('Title, for affiliates too')}
            value={draft.title}
            error={faultAt(faults, 'title')}
            onChange={(event) => put({ title: event.currentTarget.value })}
          />
          <ActionIcon
            aria-label={t('Up: {name}', { name })}
            disabled={place === 0}
            onClick={() => props.onMove(place - 1)}
          >
            <IconArrowUp size={15} />
          </ActionIcon>
          <ActionIcon
            aria-label={t('Down: {name}', { name })}
            disabled={place === last}
            onClick={() => props.onMove(place + 1)}
          >
            <IconArrowDown size={15} />
          </ActionIcon>
          <ActionIcon aria-label={t('Remove {name}', { name })} onClick={props.onRemove}>
            <IconTrash size={15} />
          </ActionIcon>
        </div>
        <div className="fa-rule-grid">
          <ChoiceInput
            label={t('For')}
            data={Object.entries(rewardWords(boot().locale).events).map(([value, label]) => ({
              value,
              label,
            }))}
            value={draft.event}
            onChange={(event) =>
              put({ event: event as Draft['event'], ...(event === 'bonus' && { scope: 'program', ids: [] }) })
            }
          />
          <ChoiceInput
            label={t('Who')}
            data={(['program', 'group', 'affiliate', ...(isBonus ? [] : (['link'] as const))] as const).map(
              (value) => ({ value, label: scopeText(value) }),
            )}
            value={draft.scope}
            onChange={(scope) => put({ scope, ids: [] })}
          />
          {draft.scope !== 'program' && <ScopeIds draft={draft} onChange={(ids) => put({ ids })} />}
        </div>
        {isBonus ? (
          <GoalFields draft={draft} put={put} />
        ) : (
          <Conditions draft={draft} facts={props.facts} put={put} />
        )}
        <RewardFields draft={draft} put={put} />
        {beside.map((fault) => (
          <p key={fault} className="fa-error" role="alert">
            {fault}
          </p>
        ))}
      </fieldset>
    </FaultsContext>
  );
}

/** The places of the fields of a rule. */
const fieldsOf = ({ rows, join, nested, caps }: Draft): readonly string[] => [
  'title',
  'scope_ids',
  ...(nested === null ? rows.map((_, at) => `when/${join}/${at}`) : ['when']),
  ...['value', 'every', 'months', 'payments', 'hold_days'].map((name) => `reward/${name}`),
  ...Object.keys(caps).map((name) => `reward/cap/${name}`),
  'goal/at_least',
];

function ScopeIds({ draft, onChange }: { draft: Draft; onChange: (ids: string[]) => void }): ReactNode {
  const groups = useGroups();
  const fault = useFaults()('scope_ids');
  if (draft.scope === 'link') return <LinkIds ids={draft.ids} onChange={onChange} />;
  if (draft.scope === 'group')
    return (
      <MultiSelect
        label={t('Groups')}
        data={[...groups]}
        value={[...draft.ids]}
        error={fault}
        onChange={onChange}
        searchable
      />
    );
  return <Affiliates ids={draft.ids} onChange={onChange} />;
}

/** Campaigns and short links. */
function LinkIds({
  ids,
  onChange,
}: {
  ids: readonly string[];
  onChange: (ids: string[]) => void;
}): ReactNode {
  const fault = useFaults()('scope_ids');
  const links = useRead('links.list', { query: { per_page: 100 } }).data?.links.data ?? [];
  const short = ids.filter((id) => id.startsWith(SHORT));
  const campaigns = ids.filter((id) => !id.startsWith(SHORT));
  const known = links.map(({ id, slug }) => ({ value: `${SHORT}${id}`, label: slug }));
  const unnamed = short.filter((id) => !known.some(({ value }) => value === id));
  return (
    <>
      <TagsInput
        label={t('Campaigns')}
        value={campaigns}
        error={fault}
        onChange={(next) => onChange([...next, ...short])}
        placeholder={t('Name, then Enter')}
      />
      <MultiSelect
        label={t('Short links')}
        searchable
        data={[...known, ...unnamed.map((id) => ({ value: id, label: `#${id.slice(SHORT.length)}` }))]}
        value={short}
        onChange={(next) => onChange([...campaigns, ...next])}
      />
    </>
  );
}

function Affiliates({
  ids,
  onChange,
}: {
  ids: readonly string[];
  onChange: (ids: string[]) => void;
}): ReactNode {
  const { search, select } = useSearch();
  const fault = useFaults()('scope_ids');
  const found = useRead('settings.affiliate_options', { query: { search, include_ids: ids.map(Number) } });
  const known = (found.data?.affiliates ?? []).map(({ id, full_name: name }) => ({
    value: String(id),
    label: `${name} #${id}`,
  }));
  const unnamed = ids.filter((id) => !known.some(({ value }) => value === id));
  return (
    <MultiSelect
      {...select}
      label={t('Affiliates')}
      data={[...known, ...unnamed.map((id) => ({ value: id, label: `#${id}` }))]}
      value={[...ids]}
      error={fault}
      onChange={onChange}
      nothingFoundMessage={found.isFetching ? t('Searching…') : t('No matches')}
    />
  );
}

interface PartProps {
  readonly draft: Draft;
  readonly put: (patch: Partial<Draft>) => void;
}

function Conditions({ draft, facts, put }: PartProps & { facts: FactList }): ReactNode {
  const { locale } = boot();
  const faultOf = useFaults();
  if (draft.nested !== null)
    return (
      <Textarea
        label={t('Condition as JSON')}
        description={t('Nested parts: all, any, not.')}
        autosize
        minRows={4}
        spellCheck={false}
        classNames={{ input: 'fa-code' }}
        value={draft.nested}
        error={faultOf('when')}
        onChange={(event) => put({ nested: event.currentTarget.value })}
      />
    );
  const set = (at: number, patch: Partial<Row>): void =>
    put({ rows: draft.rows.map((row, index) => (index === at ? { ...row, ...patch } : row)) });
  return (
    <div className="fa-conditions">
      {draft.rows.length > 1 && (
        <ChoiceInput
          aria-label={t('How conditions count')}
          data={choicesIn({ all: t('If all of these are true'), any: t('If one of these is true') })}
          value={draft.join}
          onChange={(join) => put({ join })}
        />
      )}
      {draft.rows.map((row, at) => (
        <div
          key={at}
          className="fa-condition"
          role="group"
          aria-label={t('Condition {number}', { number: at + 1 })}
        >
          <ChoiceInput
            aria-label={t('Fact')}
            searchable
            data={facts.map(({ fact }) => ({ value: fact, label: factText(fact, locale) }))}
            value={row.fact}
            onChange={(fact) => {
              const next = facts.find((each) => each.fact === fact);
              if (next)
                set(at, {
                  fact: next.fact,
                  op: next.ops.includes(row.op) ? row.op : (next.ops[0] ?? 'eq'),
                  value: next.kind === 'yes_no' ? 'yes' : '',
                });
            }}
          />
          <ChoiceInput
            aria-label={t('Comparison')}
            data={(facts.find(({ fact }) => fact === row.fact)?.ops ?? []).map((op) => ({
              value: op,
              label: rewardWords(locale).ops[op as 'eq'],
            }))}
            value={row.op}
            onChange={(op) => set(at, { op })}
          />
          <ValueInput
            row={row}
            facts={facts}
            fault={faultOf(`when/${draft.join}/${at}`)}
            onChange={(value) => set(at, { value })}
          />
          <ActionIcon
            aria-label={t('Remove condition {number}', { number: at + 1 })}
            onClick={() => put({ rows: draft.rows.filter((_, index) => index !== at) })}
          >
            <IconTrash size={15} />
          </ActionIcon>
        </div>
      ))}
      <div>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlus size={14} />}
          onClick={() => put({ rows: [...draft.rows, { fact: 'order.total', op: 'gte', value: '' }] })}
        >
          {draft.rows.length === 0 ? t('Add a condition') : t('Another condition')}
        </Button>
      </div>
    </div>
  );
}

function ValueInput({
  row,
  facts,
  fault,
  onChange,
}: {
  row: Row;
  facts: FactList;
  fault: string | undefined;
  onChange: (value: string) => void;
}): ReactNode {
  const kind = facts.find(({ fact }) => fact === row.fact)?.kind;
  const isList = row.op === 'in' || row.op === 'not_in';
  const words = rewardWords(boot().locale);
  if (kind === 'yes_no')
    return (
      <ChoiceInput
        aria-label={t('Value')}
        data={[
          { value: 'yes', label: words.yes },
          { value: 'no', label: words.no },
        ]}
        value={row.value}
        error={fault}
        onChange={(value) => onChange(value)}
      />
    );
  if (kind === 'amount' && !isList)
    return <AmountInput aria-label={t('Value')} value={row.value} error={fault} onChange={onChange} />;
  return (
    <TextInput
      aria-label={t('Value')}
      {...(kind === 'date' && !isList && { type: 'date' })}
      {...(isList && { placeholder: t('Several, separated by commas') })}
      value={row.value}
      error={fault}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

const GoalFields = ({ draft: { goal }, put }: PartProps): ReactNode => {
  const faultOf = useFaults();
  const set = (patch: Partial<Draft['goal']>): void => put({ goal: { ...goal, ...patch } });
  return (
    <div className="fa-rule-grid">
      <ChoiceInput
        label={t('What counts')}
        data={metricChoices()}
        value={goal.metric}
        onChange={(metric) => set({ metric })}
      />
      <LeastInput
        metric={goal.metric}
        value={goal.at_least}
        fault={faultOf('goal/at_least')}
        onChange={(least) => set({ at_least: least })}
      />
      <ChoiceInput
        label={t('In')}
        data={windowChoices()}
        value={goal.window}
        onChange={(window) => set({ window })}
      />
      <ChoiceInput
        label={t('Paid')}
        data={choicesIn({ each_window: t('Every time'), once: t('Once') })}
        value={goal.repeat}
        onChange={(repeat) => set({ repeat })}
      />
    </div>
  );
};

function RewardFields({ draft, put }: PartProps): ReactNode {
  const isBonus = draft.event === 'bonus';
  const kind = isBonus ? 'flat' : draft.kind;
  const faultOf = useFaults();
  const isFaulty = ['every', 'hold_days', 'cap'].some((name) => faultOf(`reward/${name}`) !== undefined);
  const whole = (name: 'every' | 'months' | 'payments' | 'hold_days', label: string): ReactNode => (
    <TextInput
      label={label}
      inputMode="numeric"
      value={draft[name]}
      error={faultOf(`reward/${name}`)}
      onChange={(event) => put({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <>
      <div className="fa-rule-grid">
        {!isBonus && (
          <ChoiceInput
            label={t('Reward')}
            data={[
              { value: 'percent', label: t('Percent') },
              { value: 'flat', label: t('Fixed amount per order') },
              ...(draft.event === 'lead' ? [] : [{ value: 'per_item', label: t('Fixed amount per item') }]),
              { value: 'none', label: t('Nothing') },
            ]}
            value={draft.kind}
            onChange={(next) => put({ kind: next as 'percent' })}
          />
        )}
        {kind !== 'none' && (
          <AmountInput
            label={isBonus ? t('Bonus') : t('Amount')}
            value={draft.value}
            error={faultOf('reward/value')}
            onChange={(value) => put({ value })}
            {...(kind === 'percent' && { unit: '%' })}
          />
        )}
        {draft.event === 'renewal' && whole('months', t('For a number of months'))}
        {draft.event === 'renewal' && whole('payments', t('For a number of payments'))}
      </div>
      <details className="fa-more" {...(isFaulty && { open: true })}>
        <summary>{t('Caps, waiting period and more')}</summary>
        <div className="fa-rule-grid">
          {!isBonus && whole('every', t('Only every nth sale'))}
          {whole('hold_days', t('Waiting period of its own, in days'))}
          {CAPS.map((name) => (
            <AmountInput
              key={name}
              label={capText(name)}
              value={draft.caps[name]}
              error={faultOf(`reward/cap/${name}`)}
              onChange={(value) => put({ caps: { ...draft.caps, [name]: value } })}
            />
          ))}
        </div>
        {!isBonus && (
          <Switch
            mt="sm"
            label={t('The rest of the order earns nothing')}
            checked={draft.stop}
            onChange={(event) => put({ stop: event.currentTarget.checked })}
          />
        )}
      </details>
    </>
  );
}
