import { Button, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { refreshSession, useBoot, useSignedOut } from './boot.js';
import { queries, useTask } from './data.js';
import { t } from './texts.js';

/** Shown if the session has ended: the user signs in in another window and keeps unsaved input. */
export function SignedOut(): ReactNode {
  const signedOut = useSignedOut();
  const { signInUrl, program } = useBoot();
  const check = useTask(async () => {
    const { user } = await refreshSession();
    if (user !== null) await queries.invalidateQueries();
  });
  return (
    <Modal
      opened={signedOut}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t('Your session has ended')}
      size="sm"
    >
      <p className="fa-dialog-text">
        {t('Sign in again in a new window, then go on here. What you have typed is kept.')}
      </p>
      <div className="fa-dialog-buttons">
        <Button
          variant="default"
          component="a"
          href={signInUrl ?? program.loginUrl ?? program.siteUrl}
          target="_blank"
          rel="noopener"
        >
          {t('Sign in')}
        </Button>
        <Button loading={check.running} onClick={() => check.start()}>
          {t('Continue')}
        </Button>
      </div>
    </Modal>
  );
}
