import { Button, Checkbox, Radio, Select, Stack, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { operators, type Filter } from './filters.js';
import { RATE_DIGITS } from './money.js';
import { howToWrite, readTyped, writeTyped } from './typed.js';
import { t } from './texts.js';

export function FilterEditor({
  filter,
  value,
  onApply,
}: {
  filter: Filter;
  value: string;
  onApply: (value: string) => void;
}): ReactNode {
  if (filter.editor) return <div className="fa-filter">{filter.editor(value, onApply)}</div>;
  if (filter.compare) return <Compare filter={filter} value={value} onApply={onApply} />;
  if (filter.choices && filter.several) return <Several filter={filter} value={value} onApply={onApply} />;
  if (filter.choices)
    return (
      <div className="fa-filter">
        <Radio.Group label={filter.label} value={value} onChange={onApply}>
          <Stack gap={8} mt={8}>
            {filter.choices.map((choice) => (
              <Radio key={choice.value} size="xs" value={choice.value} label={choice.label} />
            ))}
          </Stack>
        </Radio.Group>
      </div>
    );
  return <Typed filter={filter} value={value} onApply={onApply} />;
}

function Several({
  filter,
  value,
  onApply,
}: {
  filter: Filter;
  value: string;
  onApply: (value: string) => void;
}): ReactNode {
  const [chosen, setChosen] = useState(value === '' ? [] : value.split(','));
  return (
    <form
      className="fa-filter"
      onSubmit={(event) => {
        event.preventDefault();
        onApply(chosen.join(','));
      }}
    >
      <Checkbox.Group label={filter.label} value={chosen} onChange={setChosen}>
        <Stack gap={8} mt={8}>
          {filter.choices?.map((choice) => (
            <Checkbox key={choice.value} value={choice.value} label={choice.label} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Button type="submit" mt="sm" fullWidth>
        {t('Apply')}
      </Button>
    </form>
  );
}

function Compare({
  filter,
  value,
  onApply,
}: {
  filter: Filter;
  value: string;
  onApply: (value: string) => void;
}): ReactNode {
  const [before = 'gt', ...rest] = value.split(':');
  const [operator, setOperator] = useState(value === '' ? 'gt' : before);
  const [typed, setTyped] = useState(() => writeTyped(rest.join(':'), '%'));
  const [error, setError] = useState<string | null>(null);
  return (
    <form
      className="fa-filter"
      onSubmit={(event) => {
        event.preventDefault();
        const read = readTyped(typed, '%', RATE_DIGITS);
        if (typed.trim() === '') onApply('');
        else if (read === null) setError(howToWrite('%'));
        else onApply(`${operator}:${read}`);
      }}
    >
      <Select
        label={filter.label}
        data={[...operators()]}
        value={operator}
        onChange={(next) => next && setOperator(next)}
        comboboxProps={{ withinPortal: false }}
      />
      <TextInput
        mt={8}
        aria-label={t('Value')}
        inputMode="decimal"
        value={typed}
        error={error}
        onChange={(event) => {
          setError(null);
          setTyped(event.currentTarget.value);
        }}
        data-autofocus
      />
      <Button type="submit" mt="sm" fullWidth>
        {t('Apply')}
      </Button>
    </form>
  );
}

function Typed({
  filter,
  value,
  onApply,
}: {
  filter: Filter;
  value: string;
  onApply: (value: string) => void;
}): ReactNode {
  const [typed, setTyped] = useState(value);
  return (
    <form
      className="fa-filter"
      onSubmit={(event) => {
        event.preventDefault();
        onApply(typed.trim());
      }}
    >
      <TextInput
        label={filter.label}
        type={filter.kind === 'day' ? 'date' : 'text'}
        {...(filter.kind === 'number' && { inputMode: 'numeric' as const })}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        data-autofocus
      />
      <Button type="submit" mt="sm" fullWidth>
        {t('Apply')}
      </Button>
    </form>
  );
}
