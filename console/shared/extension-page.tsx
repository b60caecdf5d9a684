import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { DrawPage, PageContext } from '../server/page-context.js';
import { useParams } from 'wouter';
import { boot, nonce, places, send, useBoot } from './boot.js';
import { GoBack, PageHead, Problem } from './parts.js';
import { t } from './texts.js';

/** A page of an extension: rendered by its module, or a page of the host in a frame. */
export function ExtensionPage(): ReactNode {
  const { page: path } = useParams<{ page: string }>();
  const page = useBoot().pages.find((each) => each.path === path);
  if (page === undefined)
    return (
      <div className="fa-empty">
        <h1>{t('There is no such page')}</h1>
        <GoBack />
      </div>
    );
  return (
    <>
      <PageHead title={page.title} />
      {page.url === undefined ? (
        <ModulePage key={path} module={page.module ?? ''} />
      ) : (
        <iframe key={path} className="fa-extension-frame" title={page.title} src={page.url} />
      )}
    </>
  );
}

function ModulePage({ module }: { readonly module: string }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    let left = false;
    let leave: (() => void) | void;
    const element = document.createElement('div'); // a new element per render, so that two modules never share one
    place.current?.append(element);
    const draw = async (): Promise<void> => {
      const { draw: drawPage } = (await import(/* @vite-ignore */ addressOf(module))) as {
        draw: DrawPage;
      };
      if (!left) leave = await drawPage(element, context());
      if (left) leave?.();
    };
    draw().catch(setProblem);
    return () => {
      left = true;
      leave?.();
      element.remove();
    };
  }, [module]);
  return (
    <>
      {problem !== null && <Problem error={problem} />}
      <div ref={place} />
    </>
  );
}

/** The server's modules are below the mount. */
const addressOf = (module: string): string =>
  module.startsWith('modules/') ? `${places().base}/${module}` : new URL(module, location.href).href;

function context(): PageContext {
  const { locale, user, affiliate, rights, program, theme, styleNonce } = boot();
  return {
    locale,
    user,
    affiliate,
    rights,
    program,
    theme,
    styleNonce,
    api: places().api,
    nonce,
    call: send,
  };
}
