import { Button } from '@mantine/core';
import { Suspense, type ReactNode } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { useAddress } from '../shared/address.js';
import { useBoot } from '../shared/boot.js';
import { lazyPart } from '../shared/lazy-component.js';
import { Guard, Waiting } from '../shared/parts.js';
import { Shell } from '../shared/shell.js';
import { t } from '../shared/texts.js';
import { navigation, SCREENS } from './screens.js';

const Entrance = lazyPart(() => import('./entrance/entrance.js'), 'Entrance', <Waiting lines={8} />);

const Unsubscribe = lazyPart(() => import('./entrance/unsubscribe.js'), 'Unsubscribe', <Waiting lines={4} />);

const ManagerInvitation = lazyPart(
  () => import('./entrance/manager.js'),
  'ManagerInvitation',
  <Waiting lines={4} />,
);

/** Active affiliates see the portal, all others the entrance. */
export function Portal(): ReactNode {
  const { affiliate, layout } = useBoot();
  const address = useAddress();
  const stop = address.get('unsubscribe');
  const invitation = address.get('manager');
  if (invitation !== '') return <ManagerInvitation code={invitation} />;
  if (stop !== '') return <Unsubscribe code={stop} />;
  if (affiliate?.status !== 'active') return <Entrance />;
  const content = (
    <Suspense fallback={<Waiting lines={8} />}>
      <Screens />
    </Suspense>
  );
  return layout === 'embed' ? (
    <EmbeddedPortal>{content}</EmbeddedPortal>
  ) : (
    <Shell
      groups={[{ items: navigation() }]}
      account={[{ href: '/settings?tab=data', label: t('Your data') }]}
    >
      {content}
    </Shell>
  );
}

function Screens(): ReactNode {
  return (
    <Switch>
      {SCREENS.map(({ path, Component }) => (
        <Route key={path} path={path}>
          <Component />
        </Route>
      ))}
      <Route>
        <div className="fa-empty">
          <h1>{t('There is no such page')}</h1>
          <p>{t('The address may be mistyped.')}</p>
          <Button component={Link} href="/" variant="default">
            {t('Home')}
          </Button>
        </div>
      </Route>
    </Switch>
  );
}

/** The portal embedded in a page of the host: a row of links instead of a side menu, and no background. */
function EmbeddedPortal({ children }: { children: ReactNode }): ReactNode {
  const [path] = useLocation();
  return (
    <div className="fa-piece">
      <nav className="fa-piece-nav" aria-label={t('Screens')}>
        {navigation().map(({ href, label, icon: Icon, prefetch }) => {
          const here = href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`);
          return (
            <Link
              key={href}
              href={href}
              className={here ? 'fa-piece-link fa-here' : 'fa-piece-link'}
              {...(here && { 'aria-current': 'page' as const })}
              onMouseEnter={() => prefetch?.()}
              onFocus={() => prefetch?.()}
            >
              <Icon size={16} stroke={1.7} />
              {label}
            </Link>
          );
        })}
      </nav>
      <div className="fa-piece-main">
        <Guard key={path}>{children}</Guard>
      </div>
    </div>
  );
}
