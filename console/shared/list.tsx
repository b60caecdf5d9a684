import { ActionIcon, Button, Checkbox, Progress, NativeSelect, Skeleton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import {
  IconAdjustmentsHorizontal,
  IconArrowDown,
  IconArrowsSort,
  IconArrowUp,
  IconBookmark,
  IconChevronLeft,
  IconChevronRight,
  IconDownload,
  IconFilter,
  IconSearch,
  IconX,
} from '@tabler/icons-react';
import { useEffect, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useAddress } from './address.js';
import { onApproach, SIZE, sizeName, type Sizes } from './prefetch.js';
import { send } from './boot.js';
import type { BulkAction, BulkBarProps } from './bulk.js';
import { RowButton } from './buttons.js';
import { filtersOf, tableOf, type Column, type TableColumn } from './columns.js';
import { useRead, type ResponseOf, type InputOf, type OperationId, type Page, type RowOf } from './data.js';
import { useDownload } from './download.js';
import { filterText, type Filter } from './filters.js';
import { lazyComponent, lazyPart } from './lazy-component.js';
import { LazyMenu } from './lazy-menu.js';
import { Empty, Problem } from './parts.js';
import type { RecordName } from './record-facts.js';
import { useStored } from './stored.js';
import { number, t, tn } from './texts.js';

export type { Column } from './columns.js';

export interface ListProps<Id extends OperationId> {
  /** Key of the user's preferences (columns, views) and prefix of URL parameters. */
  readonly name: string;
  readonly operation: Id;
  readonly input?: Partial<InputOf<Id>>;
  /** The record of the rows; its remaining columns are offered too. */
  readonly record?: RecordName;
  readonly columns: readonly Column<RowOf<Id>>[];
  /** Default: the row's `id`. */
  readonly rowKey?: (row: RowOf<Id>) => number | string;
  readonly rowName?: (row: RowOf<Id>) => string;
  readonly href?: (row: RowOf<Id>) => string;
  readonly onRow?: (row: RowOf<Id>) => void;
  /** Prefetches the target of a row on hover. */
  readonly ahead?: (row: RowOf<Id>) => void;
  readonly search?: string | false;
  readonly filters?: readonly Filter[];
  readonly bulk?: readonly BulkAction<RowOf<Id>>[];
  readonly exportOf?: OperationId;
  readonly empty: { readonly title: string; readonly text?: ReactNode; readonly action?: ReactNode };
  /** Totals of the filtered rows, beside their number. */
  readonly totals?: (response: ResponseOf<Id>, query: object) => ReactNode;
  /** Additional buttons beside the filters. */
  readonly tools?: ReactNode;
  /** Refreshes by itself: milliseconds by the last response, or false. */
  readonly every?: (response: ResponseOf<Id>) => number | false;
  /** Prefix of the URL parameters if a screen has two lists. */
  readonly prefix?: string;
}

// Loaded on first use.
const FilterMenu = lazyComponent(() => import('./list-menus.js'), 'FilterMenu');
const ViewsMenu = lazyComponent(() => import('./list-menus.js'), 'ViewsMenu');
const BulkBar = lazyPart(() => import('./bulk.js'), 'BulkBar') as <Row>(
  props: BulkBarProps<Row>,
) => ReactNode;
const ColumnsMenu = lazyComponent(() => import('./list-menus.js'), 'ColumnsMenu');

/** The list's state from the URL, and the response. */
function useList<Id extends OperationId>({
  name,
  operation,
  input,
  filters = [],
  prefix = '',
  every,
}: ListProps<Id>) {
  const address = useAddress();
  const get = (key: string, fallback = ''): string => address.get(prefix + key, fallback);
  const [perPage, setPerPage] = useStored<Sizes>(sizeName(name), SIZE);
  const sort = get('sort');
  const filtered = { search: get('q'), ...queryOf(filters, get) };
  const query = {
    page: Number(get('page', '1')) || 1,
    per_page: Number(perPage),
    ...filtered,
    ...(sort !== '' && {
      order_by: sort.replace(/^-/, ''),
      order_type: sort.startsWith('-') ? 'DESC' : 'ASC',
    }),
  };
  const given = (input ?? {}) as { readonly query?: object };
  const reading = useRead(
    operation,
    { ...given, query: { ...given.query, ...query } } as unknown as InputOf<Id>,
    { every: every ?? false },
  );
  const set = (patch: Readonly<Record<string, string | null>>): void => {
    const values = Object.entries({ page: null, ...patch }).map(([key, value]) => [prefix + key, value]);
    address.set(Object.fromEntries(values) as Record<string, string | null>);
  };
  const active = filters.filter(({ key }) => get(key) !== '');
  return {
    address,
    get,
    set,
    sort,
    query: { ...given.query, ...query },
    filtered,
    reading,
    active,
    perPage,
    setPerPage,
    /** Loads all matching rows page by page, in the order of the list. */
    readAll: async (keyOf: (row: RowOf<Id>) => number | string) => {
      const rows = new Map<number | string, RowOf<Id>>();
      for (let page = 1, last = 1; page <= last; page += 1) {
        const asked = { ...given, query: { ...given.query, ...query, page, per_page: 100 } };
        const found = pageOf<RowOf<Id>>((await send(operation, asked as unknown as InputOf<Id>)) as object);
        for (const row of found.data) rows.set(keyOf(row), row);
        last = found.last_page;
      }
      return rows;
    },
    list: reading.data === undefined ? undefined : pageOf<RowOf<Id>>(reading.data as object),
    clear: () =>
      set(Object.fromEntries([...active.map(({ key }) => [key, null] as const), ['q', null] as const])),
  };
}
type ListState<Id extends OperationId> = ReturnType<typeof useList<Id>>;

/**
 * A list: the server filters, sorts and pages; its state is stored in the URL.
 */
export function List<Id extends OperationId>(given: ListProps<Id>): ReactNode {
  type Row = RowOf<Id>;
  const props = { rowKey: idOf, ...given, filters: filtersOf(given.record, given.filters) };
  const { name } = props;
  const columns = tableOf(props.record, props.columns);
  const state = useList(props);
  const { reading, list, set } = state;
  const [shownKeys, setShownKeys] = useStored<readonly string[] | null>(`${name}:columns`, null);
  const [tight, setTight] = useStored(`${name}:tight`, false);
  const [selected, setSelected] = useState<ReadonlyMap<number | string, Row>>(new Map());
  const { search } = state.address;
  useEffect(() => setSelected(new Map()), [search]);
  const shown = columns.filter(
    ({ key, extra, head }) => head || (shownKeys === null ? !extra : shownKeys.includes(key)),
  );
  const viewMenu = (
    <LazyMenu
      button={
        <ActionIcon
          variant="default"
          aria-label={t('Columns and density')}
          data-hint={t('Columns and density')}
          size={34}
        >
          <IconAdjustmentsHorizontal size={16} />
        </ActionIcon>
      }
    >
      {(button) => (
        <ColumnsMenu
          button={button}
          columns={columns}
          shown={shown.map(({ key }) => key)}
          onColumns={setShownKeys}
          tight={tight}
          onTight={setTight}
        />
      )}
    </LazyMenu>
  );
  return (
    <div className="fa-list">
      <ListToolbar props={props} state={state} viewMenu={viewMenu} />
      <Chips state={state} />
      <SelectedRows props={props} state={state} selected={selected} onSelected={setSelected} />
      <Body
        props={props}
        state={state}
        shown={shown}
        selected={selected}
        onSelected={setSelected}
        tight={tight}
      />
      {list !== undefined && list.total > 0 && (
        <Pagination
          list={list}
          perPage={state.perPage}
          onPerPage={(size) => {
            state.setPerPage(size);
            set({});
          }}
          onPage={(page) => set({ page: page === 1 ? null : String(page) })}
          totals={reading.data && props.totals?.(reading.data, state.filtered)}
        />
      )}
      <span className="fa-hidden" role="status">
        {list === undefined || reading.isFetching ? '' : tn('{count} row', '{count} rows', list.total)}
      </span>
    </div>
  );
}

const idOf = (row: unknown): number => (row as { readonly id: number }).id;

/** Bulk actions for the selected rows. */
function SelectedRows<Id extends OperationId>({
  props: { bulk = [], rowKey, rowName },
  state: { list, readAll },
  selected,
  onSelected,
}: Pick<RowsProps<Id>, 'props' | 'state' | 'selected' | 'onSelected'>): ReactNode {
  if (selected.size === 0) return null;
  const total = list?.total ?? 0;
  return (
    <BulkBar
      selected={[...selected.values()]}
      actions={bulk}
      nameOf={rowName ?? ((row) => `#${rowKey(row)}`)}
      onDone={() => onSelected(new Map())}
      more={selected.size < total ? total : null}
      onAll={async () => onSelected(await readAll(rowKey))}
    />
  );
}

/** The rows, or an empty state. */
function Body<Id extends OperationId>(given: RowsProps<Id>): ReactNode {
  const { list, reading } = given.state;
  if (list === undefined && reading.error !== null)
    return <Problem error={reading.error} again={() => void reading.refetch()} />;
  if (list?.data.length === 0) return <EmptyList props={given.props} state={given.state} />;
  return <Rows {...given} />;
}

function ListToolbar<Id extends OperationId>({
  props,
  state,
  viewMenu,
}: {
  props: ListProps<Id>;
  state: ListState<Id>;
  viewMenu: ReactNode;
}): ReactNode {
  const { filters = [], search, name } = props;
  const { get, set } = state;
  return (
    <div className="fa-list-bar">
      {search !== false && (
        <SearchBox
          key={get('q') === '' ? 'empty' : 'full'}
          label={search ?? t('Search')}
          value={get('q')}
          onChange={(q) => set({ q })}
        />
      )}
      {filters.length > 0 && (
        <LazyMenu
          popup="dialog"
          button={
            <Button variant="default" leftSection={<IconFilter size={15} />}>
              {t('Filter')}
            </Button>
          }
        >
          {(button) => <FilterMenu button={button} filters={filters} get={get} set={set} />}
        </LazyMenu>
      )}
      <div className="fa-list-tools">
        {props.tools}
        {filters.length > 0 && (
          <LazyMenu
            popup="dialog"
            button={
              <ActionIcon
                variant="default"
                aria-label={t('Saved views')}
                data-hint={t('Saved views')}
                size={34}
              >
                <IconBookmark size={16} />
              </ActionIcon>
            }
          >
            {(button) => <ViewsMenu button={button} name={name} address={state.address} />}
          </LazyMenu>
        )}
        {props.exportOf && <ExportButton operation={props.exportOf} query={state.query} />}
        {viewMenu}
      </div>
    </div>
  );
}

function Chips<Id extends OperationId>({
  state: { active, get, set, clear },
}: {
  state: ListState<Id>;
}): ReactNode {
  if (active.length === 0) return null;
  return (
    <div className="fa-chips">
      {active.map((filter) => (
        <span className="fa-chip" key={filter.key}>
          <span className="fa-faint">{filter.label}</span> {filterText(filter, get(filter.key))}
          <button
            type="button"
            aria-label={t('Remove filter {name}', { name: filter.label })}
            onClick={() => set({ [filter.key]: null })}
          >
            <IconX size={12} />
          </button>
        </span>
      ))}
      <RowButton quiet onClick={clear}>
        {t('Clear all')}
      </RowButton>
    </div>
  );
}

function EmptyList<Id extends OperationId>({
  props,
  state,
}: {
  props: ListProps<Id>;
  state: ListState<Id>;
}): ReactNode {
  const narrowed = state.active.length > 0 || state.get('q') !== '';
  return (
    <div className="fa-table-frame">
      {narrowed ? (
        <Empty
          title={t('No matches')}
          text={t('No row fits the search and the filters.')}
          action={
            <Button variant="default" onClick={state.clear}>
              {t('Clear all')}
            </Button>
          }
        />
      ) : (
        <Empty {...props.empty} />
      )}
    </div>
  );
}

type Known<Id extends OperationId> = ListProps<Id> & Required<Pick<ListProps<Id>, 'rowKey'>>;

interface RowsProps<Id extends OperationId> {
  readonly props: Known<Id>;
  readonly state: ListState<Id>;
  readonly shown: readonly TableColumn<RowOf<Id>>[];
  readonly selected: ReadonlyMap<number | string, RowOf<Id>>;
  readonly onSelected: (selected: ReadonlyMap<number | string, RowOf<Id>>) => void;
  readonly tight: boolean;
}

function Rows<Id extends OperationId>({
  props,
  state,
  shown,
  selected,
  onSelected,
  tight,
}: RowsProps<Id>): ReactNode {
  const { rowKey } = props;
  const { list, reading, sort, set } = state;
  const selectable = (props.bulk ?? []).length > 0;
  const rows = list?.data ?? [];
  const all = rows.length > 0 && rows.every((row) => selected.has(rowKey(row)));
  const choose = (row: RowOf<Id>, on: boolean): void => {
    const next = new Map(selected);
    if (on) next.set(rowKey(row), row);
    else next.delete(rowKey(row));
    onSelected(next);
  };
  return (
    <div
      className={`fa-table-frame ${tight ? 'fa-tight' : ''} ${reading.isPlaceholderData ? 'fa-stale' : ''}`}
      aria-busy={reading.isFetching}
    >
      <table className="fa-table">
        <thead>
          <tr>
            {selectable && (
              <th className="fa-check">
                <Checkbox
                  aria-label={t('Select all rows on this page')}
                  checked={all}
                  indeterminate={selected.size > 0 && !all}
                  onChange={(event) =>
                    onSelected(
                      event.currentTarget.checked
                        ? new Map(rows.map((row) => [rowKey(row), row]))
                        : new Map(),
                    )
                  }
                />
              </th>
            )}
            {shown.map((column) => (
              <HeadCell key={column.key} column={column} sort={sort} onSort={(next) => set({ sort: next })} />
            ))}
          </tr>
        </thead>
        <tbody>
          {list === undefined && <Ghosts columns={shown} selectable={selectable} />}
          {rows.map((row) => (
            <Row
              key={rowKey(row)}
              row={row}
              columns={shown}
              {...(props.href && { href: props.href(row) })}
              {...(props.onRow && { onRow: () => props.onRow?.(row) })}
              {...(props.ahead && { ahead: () => props.ahead?.(row) })}
              selected={selectable ? selected.has(rowKey(row)) : null}
              label={props.rowName?.(row) ?? `#${rowKey(row)}`}
              onChoose={(on) => choose(row, on)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Ghosts = <Row,>({
  columns,
  selectable,
}: {
  columns: readonly TableColumn<Row>[];
  selectable: boolean;
}): ReactNode =>
  Array.from({ length: 8 }, (_, at) => (
    <tr key={at} className="fa-ghost">
      {selectable && <td className="fa-check" />}
      {columns.map(({ key, end }) => (
        <td key={key}>
          <Skeleton height={12} width={end ? 56 : `${80 - ((at * 13) % 40)}%`} ml={end ? 'auto' : 0} />
        </td>
      ))}
    </tr>
  ));

function queryOf(filters: readonly Filter[], get: (key: string) => string): object {
  const query: Record<string, unknown> = {};
  const columns: Record<string, unknown> = {};
  for (const { key, send, compare, contains } of filters) {
    const value = get(key);
    if (value === '') continue;
    if (compare) {
      const [operator = '=', ...rest] = value.split(':');
      columns[key] = { operator, value: rest.join(':') };
    } else if (contains) columns[key] = { operator: 'includes', value };
    else if (send) Object.assign(query, send(value));
    else query[key] = value.includes(',') ? value.split(',') : value;
  }
  return Object.keys(columns).length > 0 ? { ...query, filters: columns } : query;
}

export function pageOf<Row>(response: object): Page<Row> {
  return Object.values(response).find(
    (value): value is Page<Row> => typeof value === 'object' && value !== null && 'last_page' in value,
  ) as Page<Row>;
}

function SearchBox({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}): ReactNode {
  const [typed, setTyped] = useState(value);
  const later = useDebouncedCallback(onChange, 300);
  return (
    <TextInput
      className="fa-search"
      type="search"
      data-search
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={15} />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        later(event.currentTarget.value.trim());
      }}
    />
  );
}

function ExportButton({ operation, query }: { operation: OperationId; query: object }): ReactNode {
  const { start, received, total, running } = useDownload(operation);
  return (
    <div className="fa-export">
      <Button
        variant="default"
        data-hint={t('All filtered rows, as CSV')}
        leftSection={<IconDownload size={15} />}
        loading={running && total === null}
        onClick={() => void start(operation, { query })}
      >
        {running && total !== null ? `${number(received)} / ${number(total)}` : t('Export')}
      </Button>
      {running && total !== null && (
        <Progress
          className="fa-export-bar"
          size={3}
          value={total === 0 ? 100 : Math.min(100, (received / total) * 100)}
          aria-label={t('Export')}
        />
      )}
    </div>
  );
}

function HeadCell<Row>({
  column,
  sort,
  onSort,
}: {
  column: TableColumn<Row>;
  sort: string;
  onSort: (sort: string | null) => void;
}): ReactNode {
  const { sort: key } = column;
  const direction =
    key === undefined ? null : sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : null;
  if (key === undefined)
    return (
      <th scope="col" className={column.end ? 'fa-end' : ''}>
        {column.label === '' ? <span className="fa-hidden">{t('Actions')}</span> : column.label}
      </th>
    );
  return (
    <th scope="col" className={column.end ? 'fa-end' : ''} aria-sort={direction ?? 'none'}>
      <button
        type="button"
        className="fa-sort"
        onClick={() =>
          onSort(direction === 'descending' ? key : direction === 'ascending' ? null : `-${key}`)
        }
      >
        {column.label}
        {direction === 'ascending' ? (
          <IconArrowUp size={12} />
        ) : direction === 'descending' ? (
          <IconArrowDown size={12} />
        ) : (
          <IconArrowsSort size={12} className="fa-sort-idle" />
        )}
      </button>
    </th>
  );
}

function Row<Row>({
  row,
  columns,
  href,
  onRow,
  ahead,
  selected,
  label,
  onChoose,
}: {
  row: Row;
  columns: readonly TableColumn<Row>[];
  href?: string;
  onRow?: () => void;
  ahead?: () => void;
  selected: boolean | null;
  label: string;
  onChoose: (on: boolean) => void;
}): ReactNode {
  const [, go] = useLocation();
  const open = onRow ?? (href === undefined ? undefined : () => go(href));
  return (
    <tr
      className={`${open ? 'fa-pressable' : ''} ${selected ? 'fa-chosen' : ''}`}
      {...onApproach(ahead)}
      onClick={(event) => {
        // Links, buttons and text selection work as usual; keyboards use the link in the first cell.
        if (
          (event.target as Element).closest('a,button,input,label,[role=button]') ||
          getSelection()?.toString()
        )
          return;
        open?.();
      }}
    >
      {selected !== null && (
        <td className="fa-check">
          <Checkbox
            aria-label={t('Select {name}', { name: label })}
            checked={selected}
            onChange={(event) => onChoose(event.currentTarget.checked)}
          />
        </td>
      )}
      {columns.map(({ key, label: title, cell, end, head, card }) => (
        <td
          key={key}
          className={`${end ? 'fa-end' : ''} ${head ? 'fa-cell-head' : ''}`}
          data-label={title}
          data-card={card}
        >
          <div className="fa-cell">{cell(row)}</div>
        </td>
      ))}
    </tr>
  );
}

function Pagination({
  list,
  perPage,
  onPerPage,
  onPage,
  totals,
}: {
  list: Page<unknown>;
  perPage: Sizes;
  onPerPage: (size: Sizes) => void;
  onPage: (page: number) => void;
  totals: ReactNode;
}): ReactNode {
  const { current_page: page, last_page: last, from, to, total } = list;
  const [typed, setTyped] = useState(String(page));
  useEffect(() => setTyped(String(page)), [page]);
  return (
    <nav className="fa-foot" aria-label={t('Pages')}>
      <div className="fa-foot-text">
        {t('{from}–{to} of {total}', { from: number(from ?? 0), to: number(to ?? 0), total: number(total) })}
        {totals && <span className="fa-foot-totals">{totals}</span>}
      </div>
      <div className="fa-foot-pages">
        <NativeSelect
          className="fa-foot-size"
          aria-label={t('Rows per page')}
          data={['20', '50', '100'].map((size) => ({
            value: size,
            label: t('{count} per page', { count: size }),
          }))}
          value={perPage}
          onChange={(event) => onPerPage(event.currentTarget.value as Sizes)}
          size="xs"
          w={132}
        />
        {last > 1 && (
          <>
            <ActionIcon
              variant="default"
              size={30}
              aria-label={t('Previous page')}
              disabled={page <= 1}
              onClick={() => onPage(page - 1)}
            >
              <IconChevronLeft size={15} className="fa-flip" />
            </ActionIcon>
            <form
              onSubmit={(event) => {
                event.preventDefault();
                const wanted = Math.min(last, Math.max(1, Number(typed) || 1));
                onPage(wanted);
              }}
            >
              <TextInput
                size="xs"
                w={52}
                aria-label={t('Page')}
                inputMode="numeric"
                value={typed}
                onChange={(event) => setTyped(event.currentTarget.value)}
                classNames={{ input: 'fa-page-input' }}
              />
            </form>
            <span className="fa-faint">{t('of {count}', { count: number(last) })}</span>
            <ActionIcon
              variant="default"
              size={30}
              aria-label={t('Next page')}
              disabled={page >= last}
              onClick={() => onPage(page + 1)}
            >
              <IconChevronRight size={15} className="fa-flip" />
            </ActionIcon>
          </>
        )}
      </div>
    </nav>
  );
}
