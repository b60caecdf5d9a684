import { MantineProvider, Portal, DirectionProvider, type MantineColorScheme } from '@mantine/core';
import type { NotificationsProps } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, useEffect, useState, type ComponentType, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import { ConfirmHost } from './confirm.js';
import { places, start, useSignedOut, type Boot } from './boot.js';
import { Connection } from './connection.js';
import { queries } from './data.js';
import { Hints } from './hints.js';
import { lazyPart } from './lazy-component.js';
import { guardHistory, Leaving, useGuardedLocation } from './leaving.js';
import { loadTexts, type Loaders } from './load-texts.js';
import { Announcer } from './page-title.js';
import { themeOf, variablesOf } from './theme.js';

/** Renders an app into the page or its shadow tree. `loadScreen` starts loading the code of the screen at a path. */
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
  // Read by get-nonce, for the style that prevents scrolling behind a dialog.
  Object.assign(globalThis, { __webpack_nonce__: boot.styleNonce });
  await loadTexts(boot, texts);
  const place = fragment === null ? wholePage() : shadowMountPoint(fragment, boot);
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

/** Links in mails may have the screen behind a `#`. */
function followHash(): void {
  if (!location.hash.startsWith('#/')) return;
  history.replaceState(null, '', places().base + location.hash.slice(1));
}

/** Prints in the light scheme. */
function printLight(root: HTMLElement): void {
  let own: string | undefined;
  matchMedia('print').addEventListener('change', ({ matches }) => {
    if (matches) own = root.dataset['mantineColorScheme'];
    const scheme = matches ? 'light' : own;
    if (scheme !== undefined) root.dataset['mantineColorScheme'] = scheme;
  });
}

interface MountPoint {
  readonly container: HTMLElement;
  /** Has the color scheme and CSS variables; dialogs render inside it. */
  readonly root: HTMLElement;
  readonly selector: string;
}

const wholePage = (): MountPoint => ({
  container: document.querySelector<HTMLElement>('#affiliate-app')!,
  root: document.documentElement,
  selector: ':root',
});

function shadowMountPoint(fragment: HTMLElement, boot: Boot): MountPoint {
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

// Loaded after the first render, before a toast about a broken connection needs it.
const LATE_MS = 1000;
function Messages(): ReactNode {
  const [Notifications, setNotifications] = useState<ComponentType<NotificationsProps> | null>(null);
  useEffect(() => {
    // Retried when the connection is back.
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
const SignedOut = lazyPart(() => import('./signed-out.js'), 'SignedOut');

function App({ boot, place, children }: { boot: Boot; place: MountPoint; children: ReactNode }): ReactNode {
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
          <ConfirmHost />
          <Connection />
          <Announcer />
          <Hints root={place.root} />
          {signedOut && <SignedOut />}
          <Messages />
        </QueryClientProvider>
      </MantineProvider>
    </DirectionProvider>
  );
}
