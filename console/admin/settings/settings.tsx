import { lazy, Suspense, type ReactNode } from 'react';
import { Link, useParams } from 'wouter';
import { useBoot } from '../../shared/boot.js';
import { Guard, PageHead, useOpenInView, Waiting } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { Program } from './program.js';

const Rules = lazy(async () => ({ default: (await import('./rules.js')).Rules }));
const Registration = lazy(async () => ({ default: (await import('./registration.js')).Registration }));
const Captcha = lazy(async () => ({ default: (await import('./captcha.js')).Captcha }));
const Mails = lazy(async () => ({ default: (await import('./mails.js')).Mails }));
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

/** All settings, each part at an address of its own. */
export function Settings(): ReactNode {
  const { part = 'program' } = useParams<{ part?: string }>();
  const { administrator } = useBoot().rights;
  const parts = [
    { key: 'program', label: t('Program'), Part: Program },
    { key: 'rules', label: t('Money and rules'), Part: Rules },
    { key: 'registration', label: t('Sign-up form'), Part: Registration },
    { key: 'captcha', label: t('Sign-up check'), Part: Captcha },
    { key: 'mails', label: t('Mails'), Part: Mails },
    { key: 'integrations', label: t('Integrations'), Part: Integrations },
    { key: 'payers', label: t('Payers'), Part: Payers },
    { key: 'features', label: t('Features'), Part: Features },
    ...(administrator ? [{ key: 'managers', label: t('Managers'), Part: Managers }] : []),
    ...(administrator ? [{ key: 'keys', label: t('API keys'), Part: ApiKeys }] : []),
    { key: 'webhooks', label: t('Webhooks'), Part: Webhooks },
    { key: 'sites', label: t('Connected sites'), Part: Sites },
    { key: 'imports', label: t('Imports'), Part: Imports },
    { key: 'license', label: t('License'), Part: License },
    ...(administrator ? [{ key: 'danger', label: t('Danger zone'), Part: Danger }] : []),
  ];
  const open = parts.find(({ key }) => key === part) ?? parts[0]!;
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
              <open.Part />
            </Suspense>
          </Guard>
        </div>
      </div>
    </>
  );
}
