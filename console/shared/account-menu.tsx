import { NativeSelect, Popover, SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';
import { LOCALES } from '../server/boot.js';
import { boot, useBoot } from './boot.js';
import { choicesIn } from './filters.js';
import { useOpening } from './lazy-menu.js';
import { nameOfLanguage, speak, t } from './texts.js';

export interface AccountLink {
  readonly href: string;
  readonly label: string;
}

/** User, language, color scheme and sign-out. */
export function AccountMenu({
  button,
  links = [],
}: {
  button: ReactElement<object>;
  links?: readonly AccountLink[];
}): ReactNode {
  const { user, locale, choosesLocale, logoutUrl, theme } = useBoot();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [open, setOpen] = useOpening();
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      position="top-start"
      width={264}
      trapFocus
      returnFocus
      shadow="md"
    >
      <Popover.Target>
        <button type="button" {...button.props} onClick={() => setOpen(!open)} />
      </Popover.Target>
      <Popover.Dropdown className="fa-account" aria-label={t('Account')}>
        {user && (
          <p className="fa-account-who">
            <span className="fa-strong">{user.name}</span>
            <span className="fa-faint fa-clip">{user.email}</span>
          </p>
        )}
        {choosesLocale && (
          <NativeSelect
            label={t('Language')}
            value={locale}
            data={LOCALES.map((value) => ({ value, label: nameOfLanguage(value) }))}
            onChange={(event) => speak(event.currentTarget.value)}
          />
        )}
        {(theme.scheme === undefined || theme.scheme === 'auto') && (
          <div>
            <div className="fa-account-label" id="fa-colors">
              {t('Colors')}
            </div>
            <SegmentedControl
              fullWidth
              aria-labelledby="fa-colors"
              value={colorScheme}
              onChange={(value) => setColorScheme(value)}
              data={choicesIn({ auto: t('Automatic'), light: t('Light'), dark: t('Dark') })}
            />
          </div>
        )}
        {(links.length > 0 || (user !== null && logoutUrl !== null)) && (
          <div className="fa-account-links">
            {links.map(({ href, label }) => (
              <Link key={href} href={href} className="fa-nav-item" onClick={() => setOpen(false)}>
                {label}
              </Link>
            ))}
            {user !== null && logoutUrl !== null && (
              <a className="fa-nav-item" href={logoutUrl}>
                <IconLogout size={17} stroke={1.7} />
                <span>{t('Sign out')}</span>
              </a>
            )}
          </div>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

/** Whether the menu has entries. */
export const hasAccountMenu = (): boolean => {
  const { user, choosesLocale, theme } = boot();
  return user !== null || choosesLocale || theme.scheme === undefined || theme.scheme === 'auto';
};
