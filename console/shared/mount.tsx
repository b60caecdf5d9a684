import { MantineProvider, Portal, DirectionProvider, type MantineColorScheme } from '@mantine/core';
import type { NotificationsProps } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, StrictMode, Suspense, useEffect, useState, type ComponentType, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import { Asking } from './ask.js';
import { places, start, useSignedOut, type Boot } from './boot.js';
import { Connection } from './connection.js';
import { queries } from './data.js';
import { Hints } from './hints.js';
import { guardHistory, Leaving, useGuardedLocation } from './leaving.js';
import { loadTexts, type Loaders } from './load-texts.js';
import { Announcer } from './page-title.js';
import { themeOf, variablesOf } from './theme.js';

/**
 * Draws an app into the page, or into the shadow tree of its fragment.
 * `loadScreen` begins to load the code of the screen at a path below the app, while the rest gets ready.
 */
export async function mount(
  app: () => ReactNode,
  texts: Loaders,
  loadScreen: (path: string) => void,
): Promise<void> {
  const fragment = document.querySelector<HTMLElement>('[data-affiliate-app]');
  const source = fragment?.querySelector('script') ?? document.querySelector('#affiliate-boot');
  const boot = JSON.parse(source?.textContent ?? 'null') as Boot | null;
  if (boot === null) return;
  start(boot, location.pathname);
  if (fragment === null) followHash();
  loadScreen(location.pathname.slice(places().base.length) || '/');
  // Read by get-nonce for the style that keeps the page still behind a dialog.
  Object.assign(globalThis, { __webpack_nonce__: boot.styleNonce });
  await loadTexts(boot, texts);
  const place = fragment === null ? wholePage() : shadowPlace(fragment, boot);
  printLight(place.root);
  if (fragment === null) guardHistory();
  createRoot(place.container).render(
    <StrictMode>
      <App boot={boot} place={place}>
        {app()}
      </App>
    </StrictMode>,
  );
}

/** A mail that knows only where these pages begin has the screen behind a `#`. */
function followHash(): void {
  if (!location.hash.startsWith('#/')) return;
  history.replaceState(null, '', places().base + location.hash.slice(1));
}

/** Paper is white, whatever the reader's scheme. */
function printLight(root: HTMLElement): void {
  let own: string | undefined;
  matchMedia('print').addEventListener('change', ({ matches }) => {
    if (matches) own = root.dataset['mantineColorScheme'];
    const scheme = matches ? 'light' : own;
    if (scheme !== undefined) root.dataset['mantineColorScheme'] = scheme;
  });
}

interface Place {
  readonly container: HTMLElement;
  /** Carries colour scheme and variables; dialogs are drawn inside it. */
  readonly root: HTMLElement;
  readonly selector: string;
}

const wholePage = (): Place => ({
  container: document.querySelector<HTMLElement>('#affiliate-app')!,
  root: document.documentElement,
  selector: ':root',
});

function shadowPlace(fragment: HTMLElement, boot: Boot): Place {
  const shadow = fragment.attachShadow({ mode: 'open' });
  for (const href of (fragment.dataset['styles'] ?? '').split(' ')) {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = href;
    link.nonce = boot.styleNonce;
    shadow.append(link);
  }
  const root = document.createElement('div');
  root.className = 'fa-embed-root';
  root.lang = boot.locale;
  root.dir = document.dir || (boot.locale === 'ar' ? 'rtl' : 'ltr');
  const container = document.createElement('div');
  root.append(container);
  shadow.append(root);
  return { container, root, selector: '.fa-embed-root' };
}

// Not needed for the first picture; loaded soon after it, since a message may be about a broken connection.
const LATE_MS = 1000;
function Messages(): ReactNode {
  const [Notifications, setNotifications] = useState<ComponentType<NotificationsProps> | null>(null);
  useEffect(() => {
    // Without a connection it is tried again once there is one.
    const load = (): void =>
      void import('@mantine/notifications').then(
        (loaded) => setNotifications(() => loaded.Notifications),
        () => addEventListener('online', load, { once: true }),
      );
    const waiting = setTimeout(load, LATE_MS);
    return () => {
      clearTimeout(waiting);
      removeEventListener('online', load);
    };
  }, []);
  return Notifications && <Notifications position="bottom-right" limit={4} />;
}
const SignedOut = lazy(async () => ({ default: (await import('./signed-out.js')).SignedOut }));

function App({ boot, place, children }: { boot: Boot; place: Place; children: ReactNode }): ReactNode {
  const theme = themeOf(boot);
  const signedOut = useSignedOut();
  const scheme: MantineColorScheme = boot.theme.scheme ?? 'auto';
  const embedded = place.root !== document.documentElement;
  return (
    <DirectionProvider initialDirection={boot.locale === 'ar' ? 'rtl' : 'ltr'} detectDirection={false}>
      <MantineProvider
        theme={
          embedded
            ? {
                ...theme,
                components: {
                  ...theme.components,
                  Portal: Portal.extend({ defaultProps: { target: place.root } }),
                },
              }
            : theme
        }
        defaultColorScheme={scheme}
        {...(scheme !== 'auto' && { forceColorScheme: scheme })}
        cssVariablesResolver={variablesOf}
        cssVariablesSelector={place.selector}
        getRootElement={() => place.root}
        getStyleNonce={() => boot.styleNonce}
      >
        <QueryClientProvider client={queries}>
          <Router
            base={boot.layout === 'embed' && embedded ? '' : places().base}
            hook={embedded ? useHashLocation : useGuardedLocation}
          >
            {children}
            <Leaving />
          </Router>
          <Asking />
          <Connection />
          <Announcer />
          <Hints root={place.root} />
          <Suspense>{signedOut && <SignedOut />}</Suspense>
          <Messages />
        </QueryClientProvider>
      </MantineProvider>
    </DirectionProvider>
  );
}
