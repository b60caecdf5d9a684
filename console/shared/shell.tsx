import { ActionIcon, Burger, Kbd } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconExternalLink, IconSearch, IconSelector, IconWorld } from '@tabler/icons-react';
import { useEffect, useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { onApproach } from './prefetch.js';
import type { AccountLink } from './account-menu.js';
import { boot, useBoot } from './boot.js';
import { useKeys } from './keys.js';
import { lazyComponent, lazyPart } from './lazy-component.js';
import { LazyMenu } from './lazy-menu.js';
import type { NavGroup } from './navigation.js';
import { t } from './texts.js';
import { Picture, Guard } from './parts.js';

// Loaded on first use.
const MenuDrawer = lazyPart(() => import('./shell-dialogs.js'), 'MenuDrawer');
const KeysHelp = lazyPart(() => import('./shell-dialogs.js'), 'KeysHelp');

/** The layout: side menu, header on small screens, keyboard shortcuts. */
export function Shell({
  groups,
  children,
  onPalette,
  account = [],
}: {
  groups: readonly NavGroup[];
  children: ReactNode;
  onPalette?: () => void;
  /** Additional links in the account menu. */
  account?: readonly AccountLink[];
}): ReactNode {
  const [menu, { open, close }] = useDisclosure(false);
  const [menuUsed, setMenuUsed] = useState(false);
  const [help, helpBox] = useDisclosure(false);
  const [path] = useLocation();
  useEffect(close, [path]);
  useEffect(() => {
    document.querySelector('main')?.scrollTo?.(0, 0);
    window.scrollTo(0, 0);
  }, [path]);
  useHotkeys([
    ['/', () => document.querySelector<HTMLElement>('[data-search]')?.focus()],
    ['shift+?', helpBox.open],
    ['?', helpBox.open],
  ]);
  useHotkeys([['mod+K', () => onPalette?.()]], []);
  useKeys(groups);
  return (
    <div className="fa-shell">
      <a
        className="fa-skip"
        href="#fa-main"
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>('#fa-main')?.focus();
        }}
      >
        {t('Skip to content')}
      </a>
      <aside className="fa-side" aria-label={t('Menu')}>
        <Side groups={groups} onPalette={onPalette} account={account} />
      </aside>
      <section className="fa-top" aria-label={t('Menu')}>
        <Burger
          opened={menu}
          onClick={() => {
            setMenuUsed(true);
            open();
          }}
          size="sm"
          aria-label={t('Menu')}
        />
        <Brand />
        {onPalette && (
          <ActionIcon aria-label={t('Search everything')} onClick={onPalette} size={36}>
            <IconSearch size={18} />
          </ActionIcon>
        )}
      </section>
      {menuUsed && (
        <MenuDrawer opened={menu} onClose={close}>
          <Side
            groups={groups}
            account={account}
            onPalette={
              onPalette &&
              (() => {
                close();
                onPalette();
              })
            }
          />
        </MenuDrawer>
      )}
      <main id="fa-main" className="fa-main" tabIndex={-1}>
        <Guard key={path}>{children}</Guard>
      </main>
      {help && <KeysHelp onClose={helpBox.close} palette={onPalette !== undefined} groups={groups} />}
    </div>
  );
}

export function Brand(): ReactNode {
  const { title, logo } = boot();
  return (
    <Link href="/" className="fa-brand">
      {logo === null ? (
        <span className="fa-brand-mark" aria-hidden="true">
          {title.charAt(0).toUpperCase()}
        </span>
      ) : (
        <img src={logo} alt="" height={24} />
      )}
      <span>{title}</span>
    </Link>
  );
}

function Side({
  groups,
  onPalette,
  account,
}: {
  groups: readonly NavGroup[];
  account: readonly AccountLink[];
  onPalette: (() => void) | undefined;
}): ReactNode {
  const [path] = useLocation();
  const { homeUrl, program } = useBoot();
  return (
    <>
      <Brand />
      {onPalette && (
        <button type="button" className="fa-find" onClick={onPalette}>
          <IconSearch size={15} /> <span>{t('Search')}</span> <Kbd size="xs">Ctrl K</Kbd>
        </button>
      )}
      <nav aria-label={t('Screens')} className="fa-nav">
        {groups
          .filter(({ items }) => items.length > 0)
          .map(({ label, items }) => (
            <div key={label ?? ''} className="fa-nav-group">
              {label !== undefined && <div className="fa-nav-label">{label}</div>}
              {items.map(({ href, label: text, icon: Icon, prefetch, ahead, count }) => {
                const here = href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`);
                return (
                  <Link
                    key={href}
                    href={href}
                    className={here ? 'fa-nav-item fa-here' : 'fa-nav-item'}
                    {...(here && { 'aria-current': 'page' as const })}
                    onPointerEnter={() => prefetch?.()}
                    onFocusCapture={() => prefetch?.()}
                    {...onApproach(ahead)}
                  >
                    <Icon size={17} stroke={1.7} />
                    <span>{text}</span>
                    {count !== undefined && count > 0 && (
                      <span className="fa-nav-count">{count > 99 ? '99+' : count}</span>
                    )}
                  </Link>
                );
              })}
            </div>
          ))}
      </nav>
      <div className="fa-side-foot">
        <a className="fa-nav-item" href={homeUrl}>
          <IconExternalLink size={17} stroke={1.7} />
          <span>{program.siteName}</span>
        </a>
        <UserMenu links={account} />
      </div>
    </>
  );
}

const AccountMenu = lazyComponent(() => import('./account-menu.js'), 'AccountMenu');

/** The button of the account menu: the user, or a globe for visitors. */
export function UserMenu({ links = [] }: { links?: readonly AccountLink[] }): ReactNode {
  const { user } = useBoot();
  return (
    <LazyMenu
      popup="dialog"
      button={
        <button
          type="button"
          className={user === null ? 'fa-user fa-user-none' : 'fa-user'}
          {...(user === null && { 'aria-label': t('Language and colors') })}
        >
          {user === null ? (
            <IconWorld size={19} stroke={1.7} aria-hidden="true" />
          ) : (
            <>
              <Picture name={user.name} src={user.avatar} size={26} />
              <span className="fa-user-name" title={user.email}>
                {user.name}
              </span>
              <IconSelector size={15} aria-hidden="true" />
            </>
          )}
        </button>
      }
    >
      {(button) => <AccountMenu button={button} links={links} />}
    </LazyMenu>
  );
}
