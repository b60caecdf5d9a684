import {
  IconCash,
  IconChartBar,
  IconHome,
  IconLink,
  IconListDetails,
  IconPhoto,
  IconPointer,
  IconSettings,
} from '@tabler/icons-react';
import { lazy, type ComponentType } from 'react';
import { matches } from '../shared/address.js';
import { readList } from '../shared/prefetch.js';
import { prefetchQuery } from '../shared/data.js';
import { boot } from '../shared/boot.js';
import { EXTENSION_PATH, extensionItems, type NavItem } from '../shared/navigation.js';
import { t } from '../shared/texts.js';

interface Screen {
  readonly path: string;
  readonly load: () => Promise<ComponentType>;
}

/** Each screen is a chunk of its own, loaded when opened or hovered. */
const LOADERS: Readonly<Record<string, Screen['load']>> = {
  '/': async () => (await import('./home/home.js')).Home,
  '/links': async () => (await import('./links/links.js')).Links,
  '/material': async () => (await import('./material/material.js')).Material,
  '/earnings': async () => (await import('./earnings/earnings.js')).Earnings,
  '/payments': async () => (await import('./payments/payments.js')).Payments,
  '/payments/:id': async () => (await import('./payments/payment.js')).Payment,
  '/terms': async () => (await import('./terms/terms.js')).Terms,
  '/clicks': async () => (await import('./clicks/clicks.js')).Clicks,
  '/settings': async () => (await import('./settings/settings.js')).Settings,
  [EXTENSION_PATH]: async () => (await import('../shared/extension-page.js')).ExtensionPage,
};

export const SCREENS = Object.entries(LOADERS).map(([path, load]) => ({
  path,
  Component: lazy(async () => ({ default: await load() })),
}));

/** Other users see the entrance instead. */
export function loadScreen(path: string): void {
  if (boot().affiliate?.status !== 'active') return;
  void Object.entries(LOADERS).find(([pattern]) => matches(pattern, path))?.[1]();
}

const prefetch = (path: string) => (): void => {
  void LOADERS[path]?.();
};

export const navigation = (): readonly NavItem[] => [
  { href: '/', label: t('Home'), icon: IconHome, prefetch: prefetch('/') },
  { href: '/links', label: t('Links'), icon: IconLink, prefetch: prefetch('/links') },
  { href: '/material', label: t('Creatives'), icon: IconPhoto, prefetch: prefetch('/material') },
  {
    href: '/earnings',
    label: t('Earnings'),
    icon: IconChartBar,
    prefetch: prefetch('/earnings'),
    ahead: () => readList('portal-earnings', 'portal.earnings'),
  },
  {
    href: '/payments',
    label: t('Payments'),
    icon: IconCash,
    prefetch: prefetch('/payments'),
    ahead: () => readList('portal-payments', 'portal.payments'),
  },
  {
    href: '/clicks',
    label: t('Clicks'),
    icon: IconPointer,
    prefetch: prefetch('/clicks'),
    ahead: () => readList('portal-clicks', 'portal.clicks'),
  },
  {
    href: '/terms',
    label: t('Terms'),
    icon: IconListDetails,
    prefetch: prefetch('/terms'),
    ahead: () => prefetchQuery('portal.rewards'),
  },
  ...extensionItems(prefetch(EXTENSION_PATH)),
  { href: '/settings', label: t('Settings'), icon: IconSettings, prefetch: prefetch('/settings') },
];
