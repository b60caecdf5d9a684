import { IconPuzzle } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { boot } from './boot.js';

export interface NavItem {
  readonly href: string;
  readonly label: string;
  readonly icon: ComponentType<{ size?: number; stroke?: number }>;
  /** Prefetches the code of the screen. */
  readonly prefetch?: () => unknown;
  /** Prefetches the data of the screen. */
  readonly ahead?: () => void;
  readonly count?: number;
  /** The key that opens it after `g`. */
  readonly key?: string;
}
export interface NavGroup {
  readonly label?: string;
  readonly items: readonly NavItem[];
}

/** Path pattern of extensions' pages. */
export const EXTENSION_PATH = '/extensions/:page';

/** A menu entry per page of an extension. */
export const extensionItems = (load: () => unknown): readonly NavItem[] =>
  boot().pages.map(({ title, path }) => ({
    href: `/extensions/${path}`,
    label: title,
    icon: IconPuzzle,
    prefetch: load,
  }));
