import { Menu } from '@mantine/core';
import { Fragment, type ReactElement, type ReactNode } from 'react';

/** A menu entry. */
export interface MenuAction {
  readonly label: string;
  readonly run: () => void;
  /** The action cannot be undone. */
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly note?: string;
  /** Preceded by a divider. */
  readonly divided?: boolean;
}

/** The menu of a button, loaded on first use by lazy-menu.tsx. */
export const ActionMenu = ({
  button,
  actions,
  width,
}: {
  button: ReactElement<object>;
  actions: readonly MenuAction[];
  width?: number | undefined;
}): ReactNode => (
  <Menu defaultOpened width={width ?? 'max-content'}>
    <Menu.Target>{button}</Menu.Target>
    <Menu.Dropdown>
      {actions.map(({ label, run, danger = false, disabled = false, note, divided = false }) => (
        <Fragment key={label}>
          {divided && <Menu.Divider />}
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
