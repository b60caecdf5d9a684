import {
  IconAlertTriangle,
  IconChartBar,
  IconCoins,
  IconHeartRateMonitor,
  IconHome,
  IconLink,
  IconMail,
  IconPhoto,
  IconPointer,
  IconReceipt,
  IconSettings,
  IconTicket,
  IconUser,
  IconUsers,
  IconUsersGroup,
} from '@tabler/icons-react';
import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import { boot, type Boot } from '../shared/boot.js';
import { matches } from '../shared/address.js';
import { readList } from '../shared/ahead.js';
import { EXTENSION_PATH, extensionItems } from '../shared/extension-nav.js';
import { withTexts, type Loaders } from '../shared/load-texts.js';
import type { NavGroup, NavItem } from '../shared/shell.js';
import { t } from '../shared/texts.js';

type Rights = Boot['rights'];
type Load = () => Promise<object>;

interface Screen {
  /** Pattern of the address below the mount. */
  readonly path: string;
  readonly load: Load;
  readonly name: string;
  readonly allowed: (rights: Rights) => boolean;
}

const reads =
  (section: 'affiliates' | 'referrals' | 'visits' | 'payouts') =>
  (rights: Rights): boolean =>
    rights[section] !== 'none';
const settings = (rights: Rights): boolean => rights.settings;
const customers = (rights: Rights): boolean => rights.affiliates !== 'none' && rights.referrals !== 'none';
const anybody = (): boolean => true;

/** Few open the settings, and half of the texts are theirs. */
const TEXTS_OF_SETTINGS = import.meta.glob('./settings/texts/*.json') as Loaders;
const loadSettings: Load = () => withTexts(import('./settings/settings.js'), TEXTS_OF_SETTINGS);

export const loadGuide: Load = () => withTexts(import('./guide/guide.js'), TEXTS_OF_SETTINGS);
/** What an applicant answered, beside the decision. */
export const loadApplication: Load = () =>
  withTexts(import('./applications/application.js'), TEXTS_OF_SETTINGS);

/** An order that goes to another affiliate. */
export const loadGiving: Load = () => withTexts(import('./giving/give.js'), TEXTS_OF_SETTINGS);

export const loadDeletion: Load = () => withTexts(import('./applications/deletion.js'), TEXTS_OF_SETTINGS);

const loadExtension: Load = () => import('../shared/extension-page.js');

export const loadPalette: Load = () => withTexts(import('./palette/palette.js'), TEXTS_OF_SETTINGS);

/** Every screen, its address and who may see it. */
export const SCREENS: readonly Screen[] = [
  { path: '/', name: 'Overview', allowed: anybody, load: () => import('./overview/overview.js') },
  {
    path: '/affiliates',
    name: 'Affiliates',
    allowed: reads('affiliates'),
    load: () => import('./affiliates/list.js'),
  },
  {
    path: '/affiliates/:id',
    name: 'Affiliate',
    allowed: reads('affiliates'),
    load: () => import('./affiliates/detail.js'),
  },
  {
    path: '/referrals',
    name: 'Referrals',
    allowed: reads('referrals'),
    load: () => import('./referrals/list.js'),
  },
  {
    path: '/referrals/:id',
    name: 'Referral',
    allowed: reads('referrals'),
    load: () => import('./referrals/detail.js'),
  },
  { path: '/payouts', name: 'Payouts', allowed: reads('payouts'), load: () => import('./payouts/list.js') },
  {
    path: '/payouts/new',
    name: 'NewPayout',
    allowed: ({ payouts }) => payouts === 'write',
    load: () => withTexts(import('./new-payout/wizard.js'), TEXTS_OF_SETTINGS),
  },
  {
    path: '/payouts/:id',
    name: 'Payout',
    allowed: reads('payouts'),
    load: () => import('./payouts/detail.js'),
  },
  { path: '/visits', name: 'Visits', allowed: reads('visits'), load: () => import('./visits/list.js') },
  { path: '/groups', name: 'Groups', allowed: settings, load: () => import('./groups/list.js') },
  { path: '/groups/:id', name: 'Group', allowed: settings, load: () => import('./groups/detail.js') },
  { path: '/creatives', name: 'Creatives', allowed: settings, load: () => import('./creatives/list.js') },
  {
    path: '/coupons',
    name: 'Coupons',
    allowed: reads('affiliates'),
    load: () => import('./coupons/list.js'),
  },
  { path: '/links', name: 'Links', allowed: settings, load: () => import('./links/list.js') },
  { path: '/reports', name: 'Reports', allowed: anybody, load: () => import('./reports/reports.js') },
  { path: '/suspicions', name: 'Suspicions', allowed: settings, load: () => import('./suspicions/list.js') },
  {
    path: '/messages',
    name: 'Messages',
    allowed: reads('affiliates'),
    load: () => withTexts(import('./messages/messages.js'), TEXTS_OF_SETTINGS),
  },
  { path: '/guide', name: 'Guide', allowed: settings, load: loadGuide },
  { path: '/settings', name: 'Settings', allowed: settings, load: loadSettings },
  { path: '/settings/:part', name: 'Settings', allowed: settings, load: loadSettings },
  {
    path: '/customers',
    name: 'Customers',
    allowed: customers,
    load: () => import('./customers/list.js'),
  },
  {
    path: '/customers/:id',
    name: 'Customer',
    allowed: customers,
    load: () => import('./customers/list.js'),
  },
  {
    path: '/system',
    name: 'System',
    allowed: ({ administrator }) => administrator,
    load: () => withTexts(import('./system/system.js'), TEXTS_OF_SETTINGS),
  },
  // the server has left out the pages that this reader may not open
  { path: EXTENSION_PATH, name: 'ExtensionPage', allowed: anybody, load: loadExtension },
];

const components = new Map<Screen, LazyExoticComponent<ComponentType>>();

/** The component of a screen, loaded when it is first shown. */
export function componentOf(screen: Screen): LazyExoticComponent<ComponentType> {
  const known =
    components.get(screen) ??
    lazy(async () => ({ default: ((await screen.load()) as Record<string, ComponentType>)[screen.name]! }));
  components.set(screen, known);
  return known;
}

const loadOf = (path: string): Load | undefined => SCREENS.find((screen) => screen.path === path)?.load;

/** Code and, where the address asks for a whole list, its first page: on the way while the app gets ready. */
export function loadScreen(path: string): void {
  const screen = SCREENS.find((each) => matches(each.path, path));
  void screen?.load();
  if (screen?.allowed(boot().rights) && location.search === '') LISTS[path]?.();
}

/** The lists of the menu, with the name they keep the reader's choices by. */
const LISTS: Readonly<Record<string, () => void>> = {
  '/affiliates': () => readList('affiliates', 'affiliates.list'),
  '/referrals': () => readList('referrals', 'referrals.list'),
  '/payouts': () => readList('payouts', 'payouts.list'),
  '/customers': () => readList('customers', 'customers.list'),
  '/visits': () => readList('visits', 'visits.list'),
  '/groups': () => readList('groups', 'groups.list'),
  '/creatives': () => readList('creatives', 'creatives.list'),
  '/coupons': () => readList('coupons', 'coupons.list'),
  '/links': () => readList('links', 'links.list'),
};

/** The key after `g` that opens a screen, the same in every language. */
const KEYS: Readonly<Record<string, string>> = {
  '/': 'o',
  '/affiliates': 'a',
  '/referrals': 'r',
  '/payouts': 'p',
  '/customers': 'c',
  '/visits': 'v',
  '/messages': 'm',
  '/groups': 'g',
  '/reports': 't',
  '/settings': 's',
};
const keyOf = (href: string): { readonly key?: string } => {
  const key = KEYS[href];
  return key === undefined ? {} : { key };
};

/** The menu: what the user may open, nothing else. */
export function navigation(rights: Rights): readonly NavGroup[] {
  const item = (
    href: string,
    label: string,
    icon: NavItem['icon'],
    allowed: (rights: Rights) => boolean,
  ): readonly NavItem[] => {
    const prefetch = loadOf(href);
    const ahead = LISTS[href];
    return prefetch !== undefined && allowed(rights)
      ? [{ href, label, icon, prefetch, ...(ahead !== undefined && { ahead }), ...keyOf(href) }]
      : [];
  };
  return [
    {
      items: [
        ...item('/', t('Overview'), IconHome, anybody),
        ...item('/affiliates', t('Affiliates'), IconUsers, reads('affiliates')),
        ...item('/referrals', t('Referrals'), IconReceipt, reads('referrals')),
        ...item('/payouts', t('Payouts'), IconCoins, reads('payouts')),
        ...item('/customers', t('Customers'), IconUser, customers),
        ...item('/visits', t('Visits'), IconPointer, reads('visits')),
      ],
    },
    {
      label: t('Program'),
      items: [
        ...item('/messages', t('Messages'), IconMail, reads('affiliates')),
        ...item('/groups', t('Groups'), IconUsersGroup, settings),
        ...item('/creatives', t('Creatives'), IconPhoto, settings),
        ...item('/coupons', t('Coupons'), IconTicket, reads('affiliates')),
        ...item('/links', t('Redirect links'), IconLink, settings),
      ],
    },
    {
      label: t('Insight'),
      items: [
        ...item('/reports', t('Reports'), IconChartBar, anybody),
        ...item('/suspicions', t('Suspicions'), IconAlertTriangle, settings),
      ],
    },
    {
      label: t('Administration'),
      items: [
        ...item('/settings', t('Settings'), IconSettings, settings),
        ...item('/system', t('System'), IconHeartRateMonitor, ({ administrator }) => administrator),
      ],
    },
    { label: t('Extensions'), items: extensionItems(loadExtension) },
  ];
}
