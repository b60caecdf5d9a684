import { Button } from '@mantine/core';
import { IconShare } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { lazyComponent } from '../../shared/lazy-component.js';
import { LazyMenu } from '../../shared/lazy-menu.js';
import { t } from '../../shared/texts.js';
import type { ShareProps } from './share-menu.js';

const ShareMenu = lazyComponent(() => import('./share-menu.js'), 'ShareMenu');

export const Share = ({
  disabled = false,
  ...props
}: ShareProps & { readonly disabled?: boolean }): ReactNode => (
  <LazyMenu
    button={
      <Button variant="default" leftSection={<IconShare size={16} />} disabled={disabled}>
        {t('Share')}
      </Button>
    }
  >
    {(button) => <ShareMenu button={button} {...props} />}
  </LazyMenu>
);
