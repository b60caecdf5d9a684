import { useMantineColorScheme } from '@mantine/core';
import { useEffect } from 'react';
import { LOCALES } from '../../server/boot.js';
import { useBoot, type Boot } from '../../shared/boot.js';
import { nameOfLanguage, speak, t } from '../../shared/texts.js';
import { settingsParts } from '../settings-parts.js';
import type { Hit } from './hit.js';

/** Finds the settings, and what the account menu offers. It shows nothing itself. */
export function LaterHits({ onFound }: { onFound: (hits: readonly Hit[]) => void }): null {
  const { locale, choosesLocale, logoutUrl, theme, rights } = useBoot();
  const { setColorScheme } = useMantineColorScheme();
  const kind = t('Action');
  const schemes = [
    { value: 'auto', label: t('Automatic') },
    { value: 'light', label: t('Light') },
    { value: 'dark', label: t('Dark') },
  ] as const;
  const hits: readonly Hit[] = [
    ...settingHits(rights),
    ...(choosesLocale ? LOCALES.filter((each) => each !== locale) : []).map((each) => ({
      href: `#language-${each}`,
      title: `${t('Language')}: ${nameOfLanguage(each)}`,
      kind,
      run: () => speak(each),
    })),
    ...(theme.scheme === undefined || theme.scheme === 'auto' ? schemes : []).map(({ value, label }) => ({
      href: `#colors-${value}`,
      title: `${t('Colors')}: ${label}`,
      words: t('Appearance'),
      kind,
      run: () => setColorScheme(value),
    })),
    ...(logoutUrl === null
      ? []
      : [{ href: '#sign-out', title: t('Sign out'), kind, run: () => location.assign(logoutUrl) }]),
  ];
  useEffect(() => onFound(hits), []);
  return null;
}

const settingHits = (rights: Boot['rights']): Hit[] =>
  rights.settings
    ? settingsParts(rights.administrator).map(({ key, label }) => ({
        href: `/settings/${key}`,
        title: label,
        kind: t('Settings'),
      }))
    : [];
