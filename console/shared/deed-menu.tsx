import { Menu } from '@mantine/core';
import { Fragment, type ReactElement, type ReactNode } from 'react';

/** An entry of a menu. */
export interface Deed {
  readonly label: string;
  readonly run: () => void;
  /** What cannot be undone. */
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly note?: string;
  /** A line separates it from the entries before it. */
  readonly apart?: boolean;
}

/** The menu that a button opens (late-menu.tsx loads it with the first press). */
export const DeedMenu = ({
  button,
  deeds,
  width,
}: {
  button: ReactElement<object>;
  deeds: readonly Deed[];
  width?: number | undefined;
}): ReactNode => (
  <Menu defaultOpened width={width ?? 'max-content'}>
    <Menu.Target>{button}</Menu.Target>
    <Menu.Dropdown>
      {deeds.map(({ label, run, danger = false, disabled = false, note, apart = false }) => (
        <Fragment key={label}>
          {apart && <Menu.Divider />}
          <Menu.Item
            onClick={run}
            disabled={disabled}
            {...(danger && { c: 'var(--fa-red)' })}
            rightSection={note !== undefined && <span className="fa-faint fa-number">{note}</span>}
          >
            {label}
          </Menu.Item>
        </Fragment>
      ))}
    </Menu.Dropdown>
  </Menu>
);
