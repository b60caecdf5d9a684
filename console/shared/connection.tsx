import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore, type ReactNode } from 'react';
import { isPassing, queries } from './data.js';
import { t } from './texts.js';
import { sentenceOf } from './toast.js';

let isIncomplete = false;

/** Whether code could not be loaded, because the site was updated or the connection failed. */
function onMissingChunk(listener: () => void): () => void {
  const missed = (): void => {
    isIncomplete = true;
    listener();
  };
  window.addEventListener('vite:preloadError', missed);
  return () => window.removeEventListener('vite:preloadError', missed);
}

const subscribe = (listener: () => void): (() => void) => {
  const ends = [
    queries.getQueryCache().subscribe(listener),
    onlineManager.subscribe(listener),
    onMissingChunk(listener),
  ];
  return () => {
    for (const end of ends) end();
  };
};

/** Why reads are being retried; empty if none is. Writes are never retried. */
function retryReason(): string {
  if (!onlineManager.isOnline()) return '';
  const [again] = queries.getQueryCache().findAll({
    fetchStatus: 'fetching',
    predicate: ({ state }) => state.fetchFailureCount > 0 && isPassing(state.fetchFailureReason),
  });
  return again === undefined ? '' : sentenceOf(again.state.fetchFailureReason).text;
}

/** Shows that the page is offline and reconnects, or must be reloaded. */
export function Connection(): ReactNode {
  const text = useSyncExternalStore(subscribe, retryReason);
  const offline = useSyncExternalStore(subscribe, () => !onlineManager.isOnline());
  const incomplete = useSyncExternalStore(subscribe, () => isIncomplete);
  return (
    <div role="status" className={text === '' && !incomplete && !offline ? 'fa-hidden' : 'fa-connection'}>
      {offline && (
        <>
          <span className="fa-dot" aria-hidden="true" />{' '}
          {t('You are offline. Nothing is saved now: save again once you are online.')}
        </>
      )}
      {text === '' && incomplete && !offline && (
        <>
          {t('A part of this page could not be loaded.')} <a href="">{t('Reload the page')}</a>
        </>
      )}
      {text !== '' && (
        <>
          <span className="fa-dot" aria-hidden="true" /> {text} {t('Retrying automatically.')}
        </>
      )}
    </div>
  );
}
