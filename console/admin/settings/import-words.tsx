import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
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

interface Pair {
  readonly old: string;
  readonly ours: string;
}

/** Shops under another name: a refund after the move finds its order only under ours. */
export function ShopNames({
  value,
  onChange,
}: {
  value: Words;
  onChange: (value: Words) => void;
}): ReactNode {
  const shops = useRead('integrations.list');
  const [pairs, setPairs] = useState<readonly Pair[]>(
    Object.entries(value).map(([old, ours]) => ({ old, ours })),
  );
  const put = (next: readonly Pair[]): void => {
    setPairs(next);
    onChange(
      Object.fromEntries(
        next
          .filter(({ old, ours }) => old.trim() !== '' && ours !== '')
          .map(({ old, ours }) => [old.trim(), ours]),
      ),
    );
  };
  const set = (at: number, patch: Partial<Pair>): void =>
    put(pairs.map((pair, index) => (index === at ? { ...pair, ...patch } : pair)));
  const known = Object.entries(shops.data?.integrations ?? {});
  if (known.length === 0) return null;
  return (
    <fieldset className="fa-words">
      <legend>{t('Shops that have another name here')}</legend>
      <p className="fa-about">{t('So that a refund after the move finds its order.')}</p>
      {pairs.map(({ old, ours }, at) => (
        <div key={at} className="fa-word-row">
          <TextInput
            aria-label={t('Name in the old program')}
            placeholder={t('Name in the old program')}
            value={old}
            onChange={(event) => set(at, { old: event.currentTarget.value })}
          />
          <NativeSelect
            aria-label={t('Shop')}
            data={[
              { value: '', label: t('Choose') },
              ...known.map(([key, { title }]) => ({ value: key, label: title ?? key })),
            ]}
            value={ours}
            onChange={(event) => set(at, { ours: event.currentTarget.value })}
          />
          <ActionIcon aria-label={t('Remove')} onClick={() => put(pairs.filter((_, index) => index !== at))}>
            <IconTrash size={16} />
          </ActionIcon>
        </div>
      ))}
      <div>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlus size={14} />}
          onClick={() => put([...pairs, { old: '', ours: '' }])}
        >
          {t('Add a shop')}
        </Button>
      </div>
    </fieldset>
  );
}
