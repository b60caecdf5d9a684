import { Button, Checkbox, Radio, Select, Stack, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { operators, type Filter } from './filters.js';
import { RATE_DIGITS } from './money.js';
import { howToWrite, parseInput, formatInput } from './typed.js';
import { t } from './texts.js';

export function FilterEditor({ filter, value, onApply }: EditorProps): ReactNode {
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
  return <TextFilter filter={filter} value={value} onApply={onApply} />;
}

interface EditorProps {
  readonly filter: Filter;
  readonly value: string;
  readonly onApply: (value: string) => void;
}

/** Filter inputs with an Apply button. */
const Editor = ({ onApply, children }: { onApply: () => void; children: ReactNode }): ReactNode => (
  <form
    className="fa-filter"
    onSubmit={(event) => {
      event.preventDefault();
      onApply();
    }}
  >
    {children}
    <Button type="submit" mt="sm" fullWidth>
      {t('Apply')}
    </Button>
  </form>
);

function Several({ filter, value, onApply }: EditorProps): ReactNode {
  const [chosen, setChosen] = useState(value === '' ? [] : value.split(','));
  return (
    <Editor onApply={() => onApply(chosen.join(','))}>
      <Checkbox.Group label={filter.label} value={chosen} onChange={setChosen}>
        <Stack gap={8} mt={8}>
          {filter.choices?.map((choice) => (
            <Checkbox key={choice.value} value={choice.value} label={choice.label} />
          ))}
        </Stack>
      </Checkbox.Group>
    </Editor>
  );
}

function Compare({ filter, value, onApply }: EditorProps): ReactNode {
  const [before = 'gt', ...rest] = value.split(':');
  const [operator, setOperator] = useState(value === '' ? 'gt' : before);
  const [typed, setTyped] = useState(() => formatInput(rest.join(':'), '%'));
  const [error, setError] = useState<string | null>(null);
  const apply = (): void => {
    const read = parseInput(typed, '%', RATE_DIGITS);
    if (typed.trim() === '') onApply('');
    else if (read === null) setError(howToWrite('%'));
    else onApply(`${operator}:${read}`);
  };
  return (
    <Editor onApply={apply}>
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
    </Editor>
  );
}

function TextFilter({ filter, value, onApply }: EditorProps): ReactNode {
  const [typed, setTyped] = useState(value);
  return (
    <Editor onApply={() => onApply(typed.trim())}>
      <TextInput
        label={filter.label}
        type={filter.kind === 'day' ? 'date' : 'text'}
        {...(filter.kind === 'number' && { inputMode: 'numeric' as const })}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        data-autofocus
      />
    </Editor>
  );
}
