import { Button } from '@mantine/core';
import { Suspense, useState, type ReactNode } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { useBoot } from '../shared/boot.js';
import { lazyPart } from '../shared/lazy-component.js';
import { GoBack, Guard, Waiting } from '../shared/parts.js';
import { Shell } from '../shared/shell.js';
import { t } from '../shared/texts.js';
import { loadPalette } from './lazy-parts.js';
import { componentOf, navigation, SCREENS } from './screens.js';

const Palette = lazyPart(loadPalette, 'Palette');

export function Console(): ReactNode {
  const { user, rights } = useBoot();
  const [palette, setPalette] = useState(false);
  const groups = navigation(rights);
  const first = groups.flatMap(({ items }) => items)[0];
  if (user === null)
    return (
      <NoAccess
        title={t('Please sign in')}
        text={t('These pages are for program managers. Sign in to the site, then come back.')}
      />
    );
  if (
    !rights.administrator &&
    !rights.settings &&
    Object.values(rights).every((level) => level === 'none' || level === false || level === true)
  )
    return (
      <NoAccess
        title={t('You don’t have access')}
        text={t('Ask an administrator to add you under Settings → Managers.')}
      />
    );
  return (
    <Shell groups={groups} onPalette={() => setPalette(true)}>
      <Suspense fallback={<Waiting lines={8} />}>
        <Switch>
          {SCREENS.filter(({ allowed }) => allowed(rights)).map((screen) => {
            const Screen = componentOf(screen);
            return (
              <Route key={screen.path} path={screen.path}>
                <Screen />
              </Route>
            );
          })}
          {first && (
            <Route path="/">
              <Redirect to={first.href} replace />
            </Route>
          )}
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </Suspense>
      {palette && (
        <Guard>
          <Palette groups={groups} onClose={() => setPalette(false)} />
        </Guard>
      )}
    </Shell>
  );
}

function NotFound(): ReactNode {
  return (
    <div className="fa-empty">
      <h1>{t('There is no such page')}</h1>
      <p>{t('It was removed, or you don’t have access.')}</p>
      <GoBack />
    </div>
  );
}

/** Shown to users without access. */
function NoAccess({ title, text }: { title: string; text: string }): ReactNode {
  const { program, signInUrl, homeUrl, user } = useBoot();
  const login = signInUrl ?? program.loginUrl;
  return (
    <main className="fa-outside">
      <h1>{title}</h1>
      <p>{text}</p>
      <div className="fa-row">
        {user === null && login !== null && (
          <Button component="a" href={login}>
            {t('Sign in')}
          </Button>
        )}
        <Button component="a" href={homeUrl} variant="default">
          {t('Back to {site}', { site: program.siteName })}
        </Button>
      </div>
    </main>
  );
}
