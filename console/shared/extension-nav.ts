import { IconPuzzle } from '@tabler/icons-react';
import { boot } from './boot.js';
import type { NavItem } from './shell.js';

/** Pattern of the addresses of extensions' pages. */
export const EXTENSION_PATH = '/extensions/:page';

/** An item of the menu for each page of an extension. */
export const extensionItems = (load: () => unknown): readonly NavItem[] =>
  boot().pages.map(({ title, path }) => ({
    href: `/extensions/${path}`,
    label: title,
    icon: IconPuzzle,
    prefetch: load,
  }));
