import { Button } from '@mantine/core';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { useBoot } from '../shared/boot.js';
import { GoBack, Waiting } from '../shared/parts.js';
import { Shell } from '../shared/shell.js';
import { t } from '../shared/texts.js';
import { componentOf, loadPalette, navigation, SCREENS } from './screens.js';

const Palette = lazy(async () => ({
  default: ((await loadPalette()) as { Palette: (props: { onClose: () => void }) => ReactNode }).Palette,
}));

export function Console(): ReactNode {
  const { user, rights } = useBoot();
  const [palette, setPalette] = useState(false);
  const groups = navigation(rights);
  const first = groups.flatMap(({ items }) => items)[0];
  if (user === null)
    return (
      <Outside
        title={t('Please sign in')}
        text={t('These pages are for the people who run the program. Sign in to the site, then come back.')}
      />
    );
  if (
    !rights.administrator &&
    !rights.settings &&
    Object.values(rights).every((level) => level === 'none' || level === false || level === true)
  )
    return (
      <Outside
        title={t('These pages are not open to you')}
        text={t(
          'Your account has no right in this program. An administrator can give you one under Settings → Managers.',
        )}
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
            <Missing />
          </Route>
        </Switch>
      </Suspense>
      {palette && (
        <Suspense>
          <Palette onClose={() => setPalette(false)} />
        </Suspense>
      )}
    </Shell>
  );
}

function Missing(): ReactNode {
  return (
    <div className="fa-empty">
      <h1>{t('There is no such page')}</h1>
      <p>{t('It may have been removed, or you may not open it.')}</p>
      <GoBack />
    </div>
  );
}

/** For those who cannot come in. */
function Outside({ title, text }: { title: string; text: string }): ReactNode {
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
