import { lazy, Suspense, type ComponentType, type ReactNode } from 'react';
import { Link, useParams } from 'wouter';
import { useBoot } from '../../shared/boot.js';
import { withTexts, type Loaders } from '../../shared/load-texts.js';
import { Guard, PageHead, useOpenInView, Waiting } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { settingsParts } from './parts.js';
import { Program } from './program.js';

const Rules = lazy(async () => ({ default: (await import('./rules.js')).Rules }));
// Parts with many texts of their own.
const TEXTS_OF_MAILS = import.meta.glob('../mails/texts/*.json') as Loaders;
const TEXTS_OF_REWARDS = import.meta.glob('../rewards/texts/*.json') as Loaders;
const Rewards = lazy(async () => ({
  default: (
    (await withTexts(import('../rewards/rewards.js'), TEXTS_OF_REWARDS)) as { Rewards: ComponentType }
  ).Rewards,
}));
const Registration = lazy(async () => ({ default: (await import('./registration.js')).Registration }));
const Captcha = lazy(async () => ({ default: (await import('./captcha.js')).Captcha }));
const Mails = lazy(async () => ({
  default: ((await withTexts(import('../mails/mails.js'), TEXTS_OF_MAILS)) as { Mails: ComponentType }).Mails,
}));
const Integrations = lazy(async () => ({ default: (await import('./integrations.js')).Integrations }));
const Payers = lazy(async () => ({ default: (await import('./payers.js')).Payers }));
const Features = lazy(async () => ({ default: (await import('./features.js')).Features }));
const Managers = lazy(async () => ({ default: (await import('./managers.js')).Managers }));
const ApiKeys = lazy(async () => ({ default: (await import('./api-keys.js')).ApiKeys }));
const Webhooks = lazy(async () => ({ default: (await import('./webhooks.js')).Webhooks }));
const Sites = lazy(async () => ({ default: (await import('./sites.js')).Sites }));
const Imports = lazy(async () => ({ default: (await import('./imports.js')).Imports }));
const License = lazy(async () => ({ default: (await import('./license.js')).License }));
const Danger = lazy(async () => ({ default: (await import('./danger.js')).Danger }));

const PARTS: Readonly<Record<string, ComponentType>> = {
  program: Program,
  rules: Rules,
  rewards: Rewards,
  registration: Registration,
  captcha: Captcha,
  mails: Mails,
  integrations: Integrations,
  payers: Payers,
  features: Features,
  managers: Managers,
  keys: ApiKeys,
  webhooks: Webhooks,
  sites: Sites,
  imports: Imports,
  license: License,
  danger: Danger,
};

/** All settings, each part at an address of its own. */
export function Settings(): ReactNode {
  const { part = 'program' } = useParams<{ part?: string }>();
  const { administrator } = useBoot().rights;
  const parts = settingsParts(administrator);
  const open = parts.find(({ key }) => key === part) ?? parts[0]!;
  const Part = PARTS[open.key]!;
  const strip = useOpenInView(open.key);
  return (
    <>
      <PageHead title={t('Settings')} name={`${open.label} · ${t('Settings')}`} />
      <div className="fa-settings">
        <nav ref={strip} className="fa-side-nav" aria-label={t('Settings')}>
          {parts.map(({ key, label }) => (
            <Link
              key={key}
              href={`/settings/${key}`}
              className={key === open.key ? 'fa-nav-item fa-here' : 'fa-nav-item'}
              {...(key === open.key && { 'aria-current': 'page' as const })}
            >
              {label}
            </Link>
          ))}
        </nav>
        <div>
          <Guard key={open.key}>
            <Suspense fallback={<Waiting lines={8} />}>
              <Part />
            </Suspense>
          </Guard>
        </div>
      </div>
    </>
  );
}
