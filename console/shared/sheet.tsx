import type { ComponentProps, ReactNode } from 'react';
import { Empty } from './parts.js';
import { t } from './texts.js';

interface SheetColumn<Row> {
  /** Empty for a column of buttons. */
  readonly label: string;
  readonly cell: (row: Row) => ReactNode;
  /** Aligned to the end, as numbers are. */
  readonly number?: boolean;
  /** Aligned to the end, e.g. a date or buttons. */
  readonly end?: boolean;
  readonly faint?: boolean;
  /** Takes a full line of a card. */
  readonly wide?: boolean;
}

/**
 * A table without pages (`List` has pages). Its first column has row headers, unless it is `plain`. With `cards`,
 * each row is a card on small screens.
 */
export function Sheet<Row>({
  rows,
  rowKey,
  columns,
  plain = false,
  cards = false,
  empty,
}: {
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
  readonly columns: readonly [SheetColumn<Row>, ...SheetColumn<Row>[]];
  readonly plain?: boolean;
  readonly cards?: boolean;
  /** Text without rows. */
  readonly empty?: ComponentProps<typeof Empty>;
}): ReactNode {
  if (empty !== undefined && rows.length === 0) return <Empty {...empty} />;
  // focusable, because buttons in the rows can scroll it
  const scroll = columns.every(({ label }) => label !== '') && { tabIndex: 0 };
  const table = (
    <div className={cards ? 'fa-table-frame' : 'fa-table-frame fa-keep'} {...scroll}>
      <table className="fa-table">
        <thead>
          <tr>
            {columns.map(({ label, number, end }) => (
              <th key={label} scope="col" {...((number || end) && label !== '' && { className: 'fa-end' })}>
                {label === '' ? <span className="fa-hidden">{t('Actions')}</span> : label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column, at) =>
                at === 0 && !plain && !cards ? (
                  <th key={column.label} scope="row">
                    {column.cell(row)}
                  </th>
                ) : (
                  <td
                    key={column.label}
                    className={classOf(column, cards && at === 0) || undefined}
                    {...(cards && column.label !== '' && { 'data-label': column.label })}
                  >
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
  return cards ? <div className="fa-list">{table}</div> : table;
}

const classOf = ({ number, end, faint, wide }: Omit<SheetColumn<never>, 'cell'>, isHead: boolean): string =>
  [
    (number || end) && 'fa-end',
    number && 'fa-number',
    faint && 'fa-faint',
    wide && 'fa-cell-wide',
    isHead && 'fa-cell-head',
  ]
    .filter(Boolean)
    .join(' ');
