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
import { readList } from '../shared/prefetch.js';
import { EXTENSION_PATH, extensionItems, type NavGroup, type NavItem } from '../shared/navigation.js';
import { t } from '../shared/texts.js';
import { loadGuide, withLateTexts } from './lazy-parts.js';

type Rights = Boot['rights'];
type Load = () => Promise<object>;

interface Screen {
  /** Pattern of the path below the mount. */
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
const everyone = (): boolean => true;

const loadSettings: Load = () => withLateTexts(import('./settings/settings.js'));
const loadExtension: Load = () => import('../shared/extension-page.js');

/** All screens with their paths and who may open them. */
export const SCREENS: readonly Screen[] = [
  { path: '/', name: 'Overview', allowed: everyone, load: () => import('./overview/overview.js') },
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
    load: () => withLateTexts(import('./new-payout/wizard.js')),
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
  { path: '/reports', name: 'Reports', allowed: everyone, load: () => import('./reports/reports.js') },
  { path: '/suspicions', name: 'Suspicions', allowed: settings, load: () => import('./suspicions/list.js') },
  {
    path: '/messages',
    name: 'Messages',
    allowed: reads('affiliates'),
    load: () => withLateTexts(import('./messages/messages.js')),
  },
  { path: '/guide', name: 'Guide', allowed: settings, load: loadGuide },
  { path: '/settings', name: 'Settings', allowed: settings, load: loadSettings },
  { path: '/settings/:part', name: 'Settings', allowed: settings, load: loadSettings },
  { path: '/customers', name: 'Customers', allowed: customers, load: () => import('./customers/list.js') },
  { path: '/customers/:id', name: 'Customer', allowed: customers, load: () => import('./customers/list.js') },
  {
    path: '/system',
    name: 'System',
    allowed: ({ administrator }) => administrator,
    load: () => withLateTexts(import('./system/system.js')),
  },
  // the server omits pages this user may not open
  { path: EXTENSION_PATH, name: 'ExtensionPage', allowed: everyone, load: loadExtension },
];

const components = new Map<Screen, LazyExoticComponent<ComponentType>>();

/** The component of a screen, loaded when first shown. */
export function componentOf(screen: Screen): LazyExoticComponent<ComponentType> {
  const known =
    components.get(screen) ??
    lazy(async () => ({ default: ((await screen.load()) as Record<string, ComponentType>)[screen.name]! }));
  components.set(screen, known);
  return known;
}

const loadOf = (path: string): Load | undefined => SCREENS.find((screen) => screen.path === path)?.load;

/** Starts loading the code of a screen and the first page of its list while the app starts. */
export function loadScreen(path: string): void {
  const screen = SCREENS.find((each) => matches(each.path, path));
  void screen?.load();
  if (screen?.allowed(boot().rights) && location.search === '') LISTS[path]?.();
}

/** The lists in the menu, with the name under which their preferences are stored. */
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

/** Keys that open a screen after `g`, the same in every language. */
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

/** The menu entries the user may open. */
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
        ...item('/', t('Overview'), IconHome, everyone),
        ...item('/affiliates', t('Affiliates'), IconUsers, reads('affiliates')),
        ...item('/referrals', t('Commissions'), IconReceipt, reads('referrals')),
        ...item('/payouts', t('Payouts'), IconCoins, reads('payouts')),
        ...item('/customers', t('Customers'), IconUser, customers),
        ...item('/visits', t('Clicks'), IconPointer, reads('visits')),
      ],
    },
    {
      label: t('Program'),
      items: [
        ...item('/messages', t('Messages'), IconMail, reads('affiliates')),
        ...item('/groups', t('Groups'), IconUsersGroup, settings),
        ...item('/creatives', t('Creatives'), IconPhoto, settings),
        ...item('/coupons', t('Coupons'), IconTicket, reads('affiliates')),
        ...item('/links', t('Short links'), IconLink, settings),
      ],
    },
    {
      label: t('Insight'),
      items: [
        ...item('/reports', t('Reports'), IconChartBar, everyone),
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
