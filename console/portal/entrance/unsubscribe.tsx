import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useBoot } from '../../shared/boot.js';
import { useWrite } from '../../shared/data.js';
import { usePageTitle } from '../../shared/page-title.js';
import { t } from '../../shared/texts.js';
import { useState } from 'react';

/** Unsubscribes from messages by the link in one. */
export function Unsubscribe({ code }: { code: string }): ReactNode {
  const stop = useWrite('messages.unsubscribe', { done: null });
  const { siteName } = useBoot().program;
  const [isDone, setDone] = useState(false);
  usePageTitle([t('Messages of the program')]);
  return (
    <main className="fa-outside" id="fa-main">
      <h1>{isDone ? t('You’re unsubscribed') : t('Unsubscribe from messages?')}</h1>
      <p>
        {isDone
          ? t('You can change that in the settings of your portal at any time.')
          : t('You will get no more news from {shop}. We still notify you about commissions and payments.', {
              shop: siteName,
            })}
      </p>
      {!isDone && (
        <Button
          loading={stop.running}
          onClick={() =>
            void stop.run({ query: { key: code } }).then(
              () => setDone(true),
              () => undefined,
            )
          }
        >
          {t('Unsubscribe')}
        </Button>
      )}
    </main>
  );
}
