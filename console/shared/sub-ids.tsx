import type { ReactNode } from 'react';
import type { Filter } from './filters.js';
import type { Column } from './list.js';
import { t } from './texts.js';

/** Sub IDs that affiliates add to their links to distinguish their sources. */
export const SUB_IDS = ['sub1', 'sub2', 'sub3', 'sub4', 'sub5'] as const;
export type SubId = (typeof SUB_IDS)[number];
type WithSubIds = Readonly<Record<SubId, unknown>>;

export const subIdName = (name: SubId): string => t('Sub ID {number}', { number: name.slice(3) });

const given = (row: WithSubIds): readonly (readonly [SubId, string])[] =>
  SUB_IDS.flatMap((name) => {
    const value = row[name];
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });

/** All sub IDs of a click or commission in one optional column. */
export const subIdColumn = <Row extends WithSubIds>(): Column<Row> => ({
  key: 'sub_ids',
  label: t('Sub IDs'),
  extra: true,
  cell: (row) => {
    const found = given(row);
    return found.length === 0 ? (
      '—'
    ) : (
      <bdi className="fa-clip" title={found.map(([name, value]) => `${name}=${value}`).join(' ')}>
        {found.map(([, value]) => value).join(' · ')}
      </bdi>
    );
  },
});

export const subIdFilters = (): readonly Filter[] =>
  SUB_IDS.map((name) => ({ key: name, label: subIdName(name), kind: 'text' }));

/** The sub IDs of the link. */
export const subIdFacts = (row: WithSubIds): readonly { label: string; value: ReactNode }[] =>
  given(row).map(([name, value]) => ({
    label: subIdName(name),
    value: <bdi className="fa-wrap">{value}</bdi>,
  }));
