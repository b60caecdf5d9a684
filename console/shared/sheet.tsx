import type { ReactNode } from 'react';

interface SheetColumn<Row> {
  readonly label: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand at the end of their column. */
  readonly number?: boolean;
  readonly faint?: boolean;
}

/** A whole table on one page, its first column the heads of the rows; lists with pages are `List`. */
export function Sheet<Row>({
  rows,
  rowKey,
  columns: [head, ...columns],
}: {
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly columns: readonly [SheetColumn<Row>, ...SheetColumn<Row>[]];
}): ReactNode {
  return (
    <div className="fa-table-frame fa-keep" tabIndex={0}>
      <table className="fa-table">
        <thead>
          <tr>
            {[head, ...columns].map(({ label, number }) => (
              <th key={label} scope="col" {...(number && { className: 'fa-end' })}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              <th scope="row">{head.cell(row)}</th>
              {columns.map(({ label, cell, number, faint }) => (
                <td
                  key={label}
                  className={[number && 'fa-end fa-number', faint && 'fa-faint'].filter(Boolean).join(' ')}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
