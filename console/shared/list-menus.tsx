import { ActionIcon, Button, Menu, Popover, TextInput, UnstyledButton } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { cloneElement, useState, type ReactElement, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import type { Address } from './address.js';
import { FilterEditor } from './filter-editor.js';
import type { Filter } from './filters.js';
import type { Column } from './columns.js';
import { useOpening } from './lazy-menu.js';
import { useStored } from './stored.js';
import { t } from './texts.js';

// Menus of a list: filters, saved views, columns.

/** Holds more than menu entries, so it has the role of a dialog. */
const BESIDE = {
  shadow: 'md',
  offset: 4,
  withinPortal: false,
  trapFocus: true,
  returnFocus: true,
} as const;

export function FilterMenu({
  button,
  filters,
  get,
  set,
}: {
  button: ReactElement<object>;
  filters: readonly Filter[];
  get: (key: string) => string;
  set: (patch: Record<string, string | null>) => void;
}): ReactNode {
  const [open, setOpen] = useOpening();
  const [editing, setEditing] = useState<Filter | null>(null);
  const change = (now: boolean): void => {
    setOpen(now);
    if (!now) setEditing(null);
  };
  return (
    <Popover opened={open} onChange={change} position="bottom-start" width={editing ? 280 : 200} {...BESIDE}>
      <Popover.Target>{cloneElement(button, { onClick: () => change(!open) } as object)}</Popover.Target>
      <Popover.Dropdown p={4}>
        {editing === null ? (
          filters.map((filter) => (
            <UnstyledButton key={filter.key} className="fa-entry" onClick={() => setEditing(filter)}>
              {filter.label}
            </UnstyledButton>
          ))
        ) : (
          <FilterEditor
            filter={editing}
            value={get(editing.key)}
            onApply={(value) => {
              set({ [editing.key]: value === '' ? null : value });
              change(false);
            }}
          />
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

/** Named filters and sorting, stored in this browser. */
export function ViewsMenu({
  button,
  name,
  address,
}: {
  button: ReactElement<object>;
  name: string;
  address: Address;
}): ReactNode {
  const [views, setViews] = useStored<readonly { name: string; search: string }[]>(`${name}:views`, []);
  const [open, setOpen] = useOpening();
  const [path, go] = useLocation();
  const [label, setLabel] = useState('');
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" width={240} {...BESIDE}>
      <Popover.Target>{cloneElement(button, { onClick: () => setOpen(!open) } as object)}</Popover.Target>
      <Popover.Dropdown p={4}>
        {views.length === 0 && (
          <div className="fa-menu-note">{t('Save filters and sorting under a name.')}</div>
        )}
        {views.map((view) => (
          <div className="fa-view" key={view.name}>
            <UnstyledButton
              className="fa-entry"
              onClick={() => go(view.search === '' ? path : `${path}?${view.search}`)}
            >
              {view.name}
            </UnstyledButton>
            <ActionIcon
              aria-label={t('Remove view {name}', { name: view.name })}
              onClick={() => setViews(views.filter((other) => other !== view))}
            >
              <IconX size={14} />
            </ActionIcon>
          </div>
        ))}
        <form
          className="fa-menu-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (label.trim() === '') return;
            setViews([
              ...views.filter((view) => view.name !== label.trim()),
              { name: label.trim(), search: address.search },
            ]);
            setLabel('');
          }}
        >
          <TextInput
            aria-label={t('Name of the view')}
            placeholder={t('Name of the view')}
            value={label}
            onChange={(event) => setLabel(event.currentTarget.value)}
          />
          <Button type="submit" size="compact-sm">
            {t('Save view')}
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}

export function ColumnsMenu({
  button,
  columns,
  shown,
  onColumns,
  tight,
  onTight,
}: {
  button: ReactElement<object>;
  columns: readonly Pick<Column<never>, 'key' | 'label' | 'head'>[];
  shown: readonly string[];
  onColumns: (keys: readonly string[]) => void;
  tight: boolean;
  onTight: (tight: boolean) => void;
}): ReactNode {
  return (
    <Menu closeOnItemClick={false} width={220} defaultOpened>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('Columns')}</Menu.Label>
        {columns
          .filter(({ head }) => !head)
          .map(({ key, label }) => (
            <Menu.CheckboxItem
              key={key}
              checked={shown.includes(key)}
              onChange={(on) => onColumns(on ? [...shown, key] : shown.filter((other) => other !== key))}
            >
              {label}
            </Menu.CheckboxItem>
          ))}
        <Menu.Divider />
        <Menu.CheckboxItem checked={tight} onChange={onTight}>
          {t('Compact rows')}
        </Menu.CheckboxItem>
      </Menu.Dropdown>
    </Menu>
  );
}
