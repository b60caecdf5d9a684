import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState, type ReactNode } from 'react';
import { useRead } from '../shared/data.js';
import type { Choice, Filter } from '../shared/filters.js';
import { choicesOf, dayFilters } from '../shared/filters.js';
import { AppLink, Person, statusText } from '../shared/parts.js';
import { t } from '../shared/texts.js';

export { dayFilters } from '../shared/filters.js';

interface Named {
  readonly id: number;
  readonly payment_email?: string | null;
  readonly user?: {
    readonly full_name: string;
    readonly display_name: string;
    readonly user_login: string;
  } | null;
  readonly user_details?: { readonly full_name?: string };
}

/** The name of an affiliate; the ID if the host's user no longer exists. */
export const nameOf = (affiliate: Named): string =>
  affiliate.user?.full_name ||
  affiliate.user?.display_name ||
  affiliate.user_details?.full_name ||
  affiliate.payment_email ||
  t('Affiliate {id}', { id: affiliate.id });

interface AffiliateWithUser extends Named {
  readonly user?:
    (NonNullable<Named['user']> & { readonly photo: string; readonly user_email?: string }) | null;
}

/** An affiliate with picture and e-mail, or with `about` instead. */
export const AffiliatePerson = ({
  of,
  about = of.user?.user_email ?? '',
}: {
  of: AffiliateWithUser;
  about?: string;
}): ReactNode => (
  <Person name={nameOf(of)} about={about} avatar={of.user?.photo ?? ''} href={`/affiliates/${of.id}`} />
);

/** A link to the affiliate of a row; `none` if the row has none. */
export const AffiliateOf = ({ of, none = '—' }: { of: Named | null; none?: ReactNode }): ReactNode =>
  of === null ? none : <AppLink href={`/affiliates/${of.id}`}>{nameOf(of)}</AppLink>;

/** A link to an affiliate by ID. */
export const AffiliateLink = ({ id }: { id: number }): ReactNode => (
  <AppLink href={`/affiliates/${id}`}>
    <AffiliateName id={id} />
  </AppLink>
);

type SearchProps = Pick<SelectProps, 'searchable' | 'searchValue' | 'onSearchChange' | 'filter'>;

/** A search on the server: the text after a pause in typing, and the props of the select. */
export function useSearch(): {
  readonly search: string;
  readonly select: SearchProps;
  /** The text in the input is the label of the chosen one, so that the list shows all again. */
  readonly setLabel: (label: string) => void;
} {
  const [searchValue, onSearchChange] = useState('');
  const [label, setLabel] = useState('');
  const [search] = useDebouncedValue(searchValue === label ? '' : searchValue, 200);
  return {
    search,
    select: { searchable: true, searchValue, onSearchChange, filter: ({ options }) => options },
    setLabel,
  };
}

interface ChooserProps {
  readonly value: string;
  readonly onChange: (value: string, label?: string) => void;
  readonly label?: string;
  readonly description?: string;
  readonly error?: string | undefined;
  readonly required?: boolean;
  readonly clearable?: boolean;
  readonly inMenu?: boolean;
  readonly autoFocus?: boolean;
}

/** Searches for an affiliate by name, e-mail or ID; omits `except`. */
export function AffiliateChooser({
  except,
  ...props
}: ChooserProps & { readonly except?: number }): ReactNode {
  const { search, select, setLabel } = useSearch();
  const found = useRead('settings.affiliate_options', {
    query: { search, ...(props.value !== '' && { include_ids: [Number(props.value)] }) },
  });
  const choices = (found.data?.affiliates ?? [])
    .filter(({ id }) => id !== except)
    .map(({ id, full_name }) => ({ value: String(id), label: `${full_name} #${id}` }));
  return (
    <Chooser
      {...props}
      choices={choices}
      select={select}
      onLabel={setLabel}
      loading={found.isFetching}
      placeholder={t('Name, email or id')}
    />
  );
}

/** Searches for a user of the host. */
export function UserChooser({
  onlyNew = false,
  ...props
}: ChooserProps & { readonly onlyNew?: boolean }): ReactNode {
  const { search, select, setLabel } = useSearch();
  const found = useRead('settings.user_options', {
    query: {
      search,
      ...(onlyNew && { exclude_affiliates: 'yes' }),
      ...(props.value !== '' && { include_ids: [Number(props.value)] }),
    },
  });
  const choices = (found.data?.users ?? []).map(({ ID, display_name }) => ({
    value: String(ID),
    label: display_name,
  }));
  return (
    <Chooser
      {...props}
      choices={choices}
      select={select}
      onLabel={setLabel}
      loading={found.isFetching}
      placeholder={t('Name, email or login')}
    />
  );
}

function Chooser({
  value,
  onChange,
  choices,
  select,
  onLabel,
  loading,
  placeholder,
  inMenu,
  label,
  autoFocus,
  ...input
}: ChooserProps & {
  choices: readonly Choice[];
  select: SearchProps;
  onLabel: (label: string) => void;
  loading: boolean;
  placeholder: string;
}): ReactNode {
  const chosen = choices.find((choice) => choice.value === value)?.label;
  useEffect(() => {
    if (chosen !== undefined) onLabel(chosen);
  }, [chosen, onLabel]);
  return (
    <Select
      {...input}
      {...select}
      onFocus={(event) => event.currentTarget.select()}
      {...(label === undefined ? { 'aria-label': placeholder } : { label })}
      data={[...choices]}
      value={value === '' ? null : value}
      onChange={(next) => onChange(next ?? '', choices.find((choice) => choice.value === next)?.label)}
      placeholder={placeholder}
      nothingFoundMessage={loading ? t('Searching…') : t('No matches')}
      {...(autoFocus && { 'data-autofocus': true, openOnFocus: false })}
      comboboxProps={{ withinPortal: !inMenu }}
    />
  );
}

export function useGroups(): readonly Choice[] {
  const groups = useRead('settings.group_options');
  return (groups.data?.affiliate_groups ?? []).map(({ id, name }) => ({ value: String(id), label: name }));
}

function GroupName({ id }: { id: string }): ReactNode {
  return useGroups().find(({ value }) => value === id)?.label ?? id;
}

function GroupEditor({ value, apply }: { value: string; apply: (value: string) => void }): ReactNode {
  return (
    <Select
      label={t('Group')}
      data={[...useGroups()]}
      value={value === '' ? null : value}
      onChange={(next) => apply(next ?? '')}
      comboboxProps={{ withinPortal: false }}
      nothingFoundMessage={t('There is no group yet')}
    />
  );
}

export const groupFilter = (): Filter => ({
  key: 'group',
  label: t('Group'),
  editor: (value, apply) => <GroupEditor value={value} apply={apply} />,
  textOf: (value) => <GroupName id={value} />,
  send: (value) => ({ filters: { group: { operator: '=', value } } }),
});

export function AffiliateName({ id }: { id: number }): ReactNode {
  const found = useRead('settings.affiliate_options', { query: { include_ids: [id] } });
  return found.data?.affiliates.find((affiliate) => affiliate.id === id)?.full_name ?? `#${id}`;
}

/** A filter for one of these statuses. */
export const statusFilter = (statuses: readonly string[]): Filter => ({
  key: 'status',
  label: t('Status'),
  choices: choicesOf(statuses, statusText),
});

/** Filters of lists: affiliate and days of creation. */
export const recordFilters = (): readonly Filter[] => [affiliateFilter(), ...dayFilters()];

export const affiliateFilter = (key = 'affiliate_id'): Filter => ({
  key,
  label: t('Affiliate'),
  editor: (value, apply) => <AffiliateChooser label={t('Affiliate')} value={value} onChange={apply} inMenu />,
  textOf: (value) => <AffiliateName id={Number(value)} />,
});
