import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError, useRead } from '../../shared/data.js';
import { statusText } from '../../shared/parts.js';
import { t, tn, word } from '../../shared/texts.js';

/** Status in the old system → status here. */
export type WordMap = Readonly<Record<string, string>>;

interface UnknownWord {
  readonly stage: string;
  readonly word: string;
  readonly count: number;
  readonly choices: readonly string[];
}

/** The unmapped statuses in an error. */
export const unmappedWords = (error: unknown): readonly UnknownWord[] =>
  error instanceof ApiError && error.code === 'import_status_unknown'
    ? ((error.data['words'] ?? []) as readonly UnknownWord[])
    : [];

/** Columns whose name does not say what they hold. */
const COLUMN_NAMES = (): Readonly<Record<string, string>> => ({
  affiliate_token: t('Link name of the affiliate'),
  custom_param: t('Link name'),
  other_links: t('Further link names'),
  provider: t('Shop'),
  provider_id: t('Order number'),
  provider_sub_id: t('Subscription number'),
  parent_id: t('ID of the first commission'),
  login: t('Login'),
  utm_campaign: t('Campaign'),
  utm_medium: t('Medium of the click'),
  utm_source: t('Source of the click'),
  batch: t('ID of the payout'),
});

/** What people call a column of a file. */
export const columnName = (column: string): string => COLUMN_NAMES()[column] ?? word(column);

/** A row of the source, by its line or its ID. */
export const placeOf = (kind: string, row: string, isFile: boolean): string =>
  isFile ? t('{file}, row {row}', { file: word(kind), row }) : `${word(kind)} ${row}`;

export const meaningOf = (ours: string): string => (ours === 'skip' ? t('Skip') : statusText(ours));

/** Maps the statuses of the old system. */
export const StatusMap = ({
  words,
  value,
  onChange,
}: {
  words: readonly UnknownWord[];
  value: WordMap;
  onChange: (value: WordMap) => void;
}): ReactNode => (
  <fieldset className="fa-words">
    <legend>{t('What do these statuses of the old system mean?')}</legend>
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

/** Maps the shops of the old system: later refunds find their order by the name used here. */
export function ShopNames({
  shops,
  value,
  onChange,
}: {
  shops: readonly Shop[];
  value: WordMap;
  onChange: (value: WordMap) => void;
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
      <p className="fa-about">{t('Later refunds need this to find their order.')}</p>
      {shops.map(({ name, rows, provider, known }) => (
        <NativeSelect
          key={name}
          label={`“${name}”`}
          description={tn('{count} row', '{count} rows', rows)}
          data={[
            ...(known
              ? []
              : [{ value: provider, label: t('None of these: “{name}” is kept', { name: provider }) }]),
            ...choices,
          ]}
          value={value[name] ?? provider}
          onChange={(event) => onChange({ ...value, [name]: event.currentTarget.value })}
        />
      ))}
    </fieldset>
  );
}
