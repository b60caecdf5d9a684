import { Suspense, type ComponentType, type ReactNode } from 'react';
import { Link, useParams } from 'wouter';
import { useAddress } from '../../shared/address.js';
import { useBoot } from '../../shared/boot.js';
import { lazyComponent } from '../../shared/lazy-component.js';
import { withTexts, type Loaders } from '../../shared/load-texts.js';
import { Guard, PageHead, useOpenInView, Waiting } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { settingsParts } from '../settings-parts.js';
import { Program } from './program.js';

const Rules = lazyComponent(() => import('./rules.js'), 'Rules');
// Sections with many texts of their own.
const TEXTS_OF_MAILS = import.meta.glob('../mails/texts/*.json') as Loaders;
const TEXTS_OF_REWARDS = import.meta.glob('../rewards/texts/*.json') as Loaders;
const Registration = lazyComponent(() => import('./registration.js'), 'Registration');
const Captcha = lazyComponent(() => import('./captcha.js'), 'Captcha');
const Integrations = lazyComponent(() => import('./integrations.js'), 'Integrations');
const Payers = lazyComponent(() => import('./payers.js'), 'Payers');
const Features = lazyComponent(() => import('./features.js'), 'Features');
const Managers = lazyComponent(() => import('./managers.js'), 'Managers');
const ApiKeys = lazyComponent(() => import('./api-keys.js'), 'ApiKeys');
const Webhooks = lazyComponent(() => import('./webhooks.js'), 'Webhooks');
const Sites = lazyComponent(() => import('./sites.js'), 'Sites');
const Imports = lazyComponent(() => import('./imports.js'), 'Imports');
const License = lazyComponent(() => import('./license.js'), 'License');
const Danger = lazyComponent(() => import('./danger.js'), 'Danger');

const PARTS: Readonly<Record<string, ComponentType>> = {
  program: Program,
  rules: Rules,
  rewards: lazyComponent(() => withTexts(import('../rewards/rewards.js'), TEXTS_OF_REWARDS), 'Rewards'),
  registration: Registration,
  captcha: Captcha,
  mails: lazyComponent(() => withTexts(import('../mails/mails.js'), TEXTS_OF_MAILS), 'Mails'),
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

/** The settings, each section at its own path. */
export function Settings(): ReactNode {
  const { part = 'program' } = useParams<{ part?: string }>();
  const { administrator } = useBoot().rights;
  const parts = settingsParts(administrator);
  const open = parts.find(({ key }) => key === part) ?? parts[0]!;
  const Part = PARTS[open.key]!;
  const strip = useOpenInView(open.key);
  const isOfGuide = useAddress().get('guide') !== '';
  return (
    <>
      <PageHead
        title={t('Settings')}
        name={`${open.label} · ${t('Settings')}`}
        {...(isOfGuide && { back: { href: '/guide', label: t('Going live') } })}
      />
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
