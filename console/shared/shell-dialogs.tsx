import { Drawer, Kbd, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from './texts.js';

/** The menu of small screens. */
export const MenuDrawer = ({
  opened,
  onClose,
  children,
}: {
  opened: boolean;
  onClose: () => void;
  children: ReactNode;
}): ReactNode => (
  <Drawer
    opened={opened}
    onClose={onClose}
    size={280}
    padding={0}
    withCloseButton={false}
    title={<span className="fa-hidden">{t('Menu')}</span>}
    classNames={{ header: 'fa-no-head' }}
  >
    <div className="fa-side-drawer">{children}</div>
  </Drawer>
);

export const KeysHelp = ({ onClose, palette }: { onClose: () => void; palette: boolean }): ReactNode => (
  <Modal opened onClose={onClose} title={t('Keys')} size="sm">
    <dl className="fa-keys">
      <dt>
        <Kbd>/</Kbd>
      </dt>
      <dd>{t('Search this list')}</dd>
      {palette && (
        <>
          <dt>
            <Kbd>Ctrl</Kbd> <Kbd>K</Kbd>
          </dt>
          <dd>{t('Search everything')}</dd>
        </>
      )}
      <dt>
        <Kbd>?</Kbd>
      </dt>
      <dd>{t('This help')}</dd>
      <dt>
        <Kbd>Esc</Kbd>
      </dt>
      <dd>{t('Close what is open')}</dd>
    </dl>
  </Modal>
);
