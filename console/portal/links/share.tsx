import { Button } from '@mantine/core';
import { IconShare } from '@tabler/icons-react';
import { lazy, type ReactNode } from 'react';
import { LateMenu } from '../../shared/late-menu.js';
import { t } from '../../shared/texts.js';
import type { ShareProps } from './share-menu.js';

const ShareMenu = lazy(async () => ({ default: (await import('./share-menu.js')).ShareMenu }));

export const Share = (props: ShareProps): ReactNode => (
  <LateMenu
    button={
      <Button variant="default" leftSection={<IconShare size={16} />}>
        {t('Share')}
      </Button>
    }
  >
    {(button) => <ShareMenu button={button} {...props} />}
  </LateMenu>
);
