import { Button, CopyButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { t } from '../../shared/texts.js';

export const CopyText = ({ value, children }: { value: string; children: ReactNode }): ReactNode => (
  <CopyButton value={value} timeout={1500}>
    {({ copied, copy }) => (
      <Button
        variant="default"
        size="compact-sm"
        leftSection={copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
        onClick={copy}
      >
        {copied ? t('Copied') : children}
      </Button>
    )}
  </CopyButton>
);
