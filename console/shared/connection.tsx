import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore, type ReactNode } from 'react';
import { isPassing, queries } from './data.js';
import { t } from './texts.js';
import { sentenceOf } from './toast.js';

let isIncomplete = false;

/** Code of a screen or dialog did not arrive: the site was updated, or a line broke. */
function onMissingCode(listener: () => void): () => void {
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
    onMissingCode(listener),
  ];
  return () => {
    for (const end of ends) end();
  };
};

/** Why something on the page is still being tried; blank when nothing is. Only what is read is tried again. */
function trouble(): string {
  if (!onlineManager.isOnline()) return '';
  const [again] = queries.getQueryCache().findAll({
    fetchStatus: 'fetching',
    predicate: ({ state }) => state.fetchFailureCount > 0 && isPassing(state.fetchFailureReason),
  });
  return again === undefined ? '' : sentenceOf(again.state.fetchFailureReason).text;
}

/** Says that the page is cut off and goes on by itself, or that it has to be loaded again. */
export function Connection(): ReactNode {
  const text = useSyncExternalStore(subscribe, trouble);
  const offline = useSyncExternalStore(subscribe, () => !onlineManager.isOnline());
  const incomplete = useSyncExternalStore(subscribe, () => isIncomplete);
  return (
    <div role="status" className={text === '' && !incomplete && !offline ? 'fa-hidden' : 'fa-connection'}>
      {offline && (
        <>
          <span className="fa-dot" aria-hidden="true" />{' '}
          {t('You are offline. Changes are not saved until you are online again.')}
        </>
      )}
      {text === '' && incomplete && !offline && (
        <>
          {t('A part of this page could not be loaded.')} <a href="">{t('Load the page again')}</a>
        </>
      )}
      {text !== '' && (
        <>
          <span className="fa-dot" aria-hidden="true" /> {text} {t('It will be tried again by itself.')}
        </>
      )}
    </div>
  );
}
