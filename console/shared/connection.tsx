import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore, type ReactNode } from 'react';
import { isPassing, queries } from './data.js';
import { t } from './texts.js';
import { sentenceOf } from './told.js';

const subscribe = (listener: () => void): (() => void) => {
  const ends = [queries.getQueryCache().subscribe(listener), onlineManager.subscribe(listener)];
  return () => {
    for (const end of ends) end();
  };
};

/** Why something on the page is still being tried; blank when nothing is. */
function trouble(): string {
  if (!onlineManager.isOnline()) return t('You are offline.');
  const [again] = queries.getQueryCache().findAll({
    fetchStatus: 'fetching',
    predicate: ({ state }) => state.fetchFailureCount > 0 && isPassing(state.fetchFailureReason),
  });
  return again === undefined ? '' : sentenceOf(again.state.fetchFailureReason).text;
}

/** Says that the page is cut off, and that it goes on by itself. */
export function Connection(): ReactNode {
  const text = useSyncExternalStore(subscribe, trouble);
  return (
    <div role="status" className={text === '' ? 'fa-hidden' : 'fa-connection'}>
      {text !== '' && (
        <>
          <span className="fa-dot" aria-hidden="true" /> {text} {t('It is tried again by itself.')}
        </>
      )}
    </div>
  );
}
