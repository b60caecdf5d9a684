import {
  IconAlertTriangle,
  IconChartBar,
  IconCoins,
  IconHeartRateMonitor,
  IconHome,
  IconLink,
  IconPhoto,
  IconPointer,
  IconReceipt,
  IconSettings,
  IconUser,
  IconUsers,
  IconUsersGroup,
} from '@tabler/icons-react';
import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import type { Boot } from '../shared/boot.js';
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
const anybody = (): boolean => true;

const AFFILIATES: Load = () => import('./affiliates/list.js');

/** Every screen, its address and who may see it. */
export const SCREENS: readonly Screen[] = [
  { path: '/affiliates', name: 'Affiliates', allowed: reads('affiliates'), load: AFFILIATES },
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

/** The menu: what the user may open, nothing else. */
export function navigation(rights: Rights): readonly NavGroup[] {
  const item = (
    href: string,
    label: string,
    icon: NavItem['icon'],
    allowed: (rights: Rights) => boolean,
  ): readonly NavItem[] => {
    const prefetch = loadOf(href);
    return prefetch !== undefined && allowed(rights) ? [{ href, label, icon, prefetch }] : [];
  };
  return [
    {
      items: [
        ...item('/', t('Overview'), IconHome, anybody),
        ...item('/affiliates', t('Affiliates'), IconUsers, reads('affiliates')),
        ...item('/referrals', t('Referrals'), IconReceipt, reads('referrals')),
        ...item('/payouts', t('Payouts'), IconCoins, reads('payouts')),
        ...item('/customers', t('Customers'), IconUser, reads('referrals')),
        ...item('/visits', t('Visits'), IconPointer, reads('visits')),
      ],
    },
    {
      label: t('Program'),
      items: [
        ...item('/groups', t('Groups'), IconUsersGroup, settings),
        ...item('/creatives', t('Creatives'), IconPhoto, settings),
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
        ...item('/system', t('System'), IconHeartRateMonitor, settings),
      ],
    },
  ];
}
