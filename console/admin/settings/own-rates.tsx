import { ActionIcon, Button, MultiSelect } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ChoiceInput } from '../../shared/choice-input.js';
import { useRead } from '../../shared/data.js';
import { choicesIn } from '../../shared/filters.js';
import { AmountInput } from '../../shared/typed.js';
import { t } from '../../shared/texts.js';
import { useSearch } from '../people.js';

export interface OwnRate {
  readonly object_type: Kind;
  readonly object_ids: readonly string[];
  /** As entered. */
  readonly rate: string;
  readonly rate_type: 'percentage' | 'fixed';
}
type Kind = 'product' | 'category';

/** Rates of products or categories; they override those of affiliate, group and program. */
export function OwnRates({
  integration,
  kinds,
  rows,
  onChange,
  error,
}: {
  integration: string;
  kinds: readonly Kind[];
  rows: readonly OwnRate[];
  onChange: (rows: readonly OwnRate[]) => void;
  error: string | undefined;
}): ReactNode {
  const first = kinds[0] ?? 'product';
  const put = (at: number, patch: Partial<OwnRate>): void =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...patch } : row)));
  return (
    <div className="fa-stack">
      {rows.map((row, at) => (
        <div
          key={at}
          className="fa-rate-row"
          role="group"
          aria-label={t('Rate {number}', { number: at + 1 })}
        >
          {kinds.length > 1 && (
            <ChoiceInput
              aria-label={t('Type')}
              data={choicesIn({ product: t('Products'), category: t('Categories') })}
              value={row.object_type}
              onChange={(next) => put(at, { object_type: next, object_ids: [] })}
            />
          )}
          <ThingChooser
            key={row.object_type}
            integration={integration}
            kind={row.object_type}
            ids={row.object_ids}
            onChange={(ids) => put(at, { object_ids: ids })}
          />
          <ChoiceInput
            aria-label={t('How it is calculated')}
            data={choicesIn({ percentage: t('Percent'), fixed: t('Fixed amount') })}
            value={row.rate_type}
            onChange={(next) => put(at, { rate_type: next })}
          />
          <AmountInput
            aria-label={t('Rate')}
            value={row.rate}
            onChange={(rate) => put(at, { rate })}
            {...(row.rate_type === 'percentage' && { unit: '%' })}
          />
          <ActionIcon
            aria-label={t('Remove rate {number}', { number: at + 1 })}
            onClick={() => onChange(rows.filter((_, index) => index !== at))}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </div>
      ))}
      {error !== undefined && (
        <p className="fa-error" role="alert">
          {error}
        </p>
      )}
      <div>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlus size={14} />}
          onClick={() =>
            onChange([...rows, { object_type: first, object_ids: [], rate: '', rate_type: 'percentage' }])
          }
        >
          {t('Add a rate')}
        </Button>
      </div>
    </div>
  );
}

/** Searches the shop's catalog; selected entries keep their names. */
function ThingChooser({
  integration,
  kind,
  ids,
  onChange,
}: {
  integration: string;
  kind: Kind;
  ids: readonly string[];
  onChange: (ids: readonly string[]) => void;
}): ReactNode {
  const { search, select } = useSearch();
  const found = useRead('integrations.product_options', {
    query: { integration, object_type: kind, search, include_ids: [...ids] },
  });
  const known = (found.data?.options ?? []).map(({ id, label }) => ({ value: String(id), label }));
  const unnamed = ids.filter((id) => !known.some(({ value }) => value === id));
  return (
    <MultiSelect
      aria-label={kind === 'product' ? t('Products') : t('Categories')}
      placeholder={ids.length === 0 ? t('Search the shop') : ''}
      {...select}
      data={[...known, ...unnamed.map((id) => ({ value: id, label: `#${id}` }))]}
      value={[...ids]}
      onChange={onChange}
      nothingFoundMessage={found.isFetching ? t('Searching…') : t('No matches')}
    />
  );
}
