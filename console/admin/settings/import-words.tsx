import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError, useRead } from '../../shared/data.js';
import { statusText } from '../../shared/parts.js';
import { t, tn, word } from '../../shared/texts.js';

/** Words of the old program → words of ours. */
export type Words = Readonly<Record<string, string>>;

interface UnknownWord {
  readonly stage: string;
  readonly word: string;
  readonly count: number;
  readonly choices: readonly string[];
}

/** The status words a refusal tells it does not know. */
export const unknownWords = (error: unknown): readonly UnknownWord[] =>
  error instanceof ApiError && error.code === 'import_status_unknown'
    ? ((error.data['words'] ?? []) as readonly UnknownWord[])
    : [];

export const meaningOf = (ours: string): string => (ours === 'skip' ? t('Leave out') : statusText(ours));

/** What each status word of the old program means here. */
export const StatusWords = ({
  words,
  value,
  onChange,
}: {
  words: readonly UnknownWord[];
  value: Words;
  onChange: (value: Words) => void;
}): ReactNode => (
  <fieldset className="fa-words">
    <legend>{t('What do these words of the old program mean?')}</legend>
    {words.map(({ stage, word: old, count, choices }) => (
      <NativeSelect
        key={`${stage} ${old}`}
        label={`“${old}”`}
        description={`${word(stage)} · ${tn('{count} row', '{count} rows', count)}`}
        data={[
          { value: '', label: t('Choose') },
          ...choices.map((choice) => ({ value: choice, label: meaningOf(choice) })),
        ]}
        value={value[old] ?? ''}
        onChange={(event) => {
          const { [old]: _, ...others } = value;
          const ours = event.currentTarget.value;
          onChange(ours === '' ? others : { ...others, [old]: ours });
        }}
      />
    ))}
  </fieldset>
);

interface Shop {
  readonly name: string;
  readonly rows: number;
  readonly provider: string;
  readonly known: boolean;
}

/** The shops of the old program: a refund after the move finds its order only under the name used here. */
export function ShopNames({
  shops,
  value,
  onChange,
}: {
  shops: readonly Shop[];
  value: Words;
  onChange: (value: Words) => void;
}): ReactNode {
  const here = useRead('integrations.list');
  const choices = Object.entries(here.data?.integrations ?? {}).map(([key, { title }]) => ({
    value: key,
    label: title ?? key,
  }));
  if (shops.length === 0) return null;
  return (
    <fieldset className="fa-words">
      <legend>{t('Which shop is which?')}</legend>
      <p className="fa-about">{t('So that a refund after the move finds its order.')}</p>
      {shops.map(({ name, rows, provider, known }) => (
        <NativeSelect
          key={name}
          label={`“${name}”`}
          description={tn('{count} row', '{count} rows', rows)}
          data={[
            ...(known
              ? []
              : [{ value: provider, label: t('None of these: stays “{name}”', { name: provider }) }]),
            ...choices,
          ]}
          value={value[name] ?? provider}
          onChange={(event) => onChange({ ...value, [name]: event.currentTarget.value })}
        />
      ))}
    </fieldset>
  );
}
