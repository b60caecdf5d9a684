import { Button, Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { refreshSession, useBoot, useSignedOut } from './boot.js';
import { t } from './texts.js';

/** Shown if the session has ended: the user signs in in another window and keeps unsaved input. */
export function SignedOut(): ReactNode {
  const signedOut = useSignedOut();
  const { signInUrl, program } = useBoot();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const check = async (): Promise<void> => {
    setAsking(true);
    const { user } = await refreshSession().finally(() => setAsking(false));
    if (user !== null) await queries.invalidateQueries();
  };
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
        <Button loading={asking} onClick={() => void check()}>
          {t('Continue')}
        </Button>
      </div>
    </Modal>
  );
}
