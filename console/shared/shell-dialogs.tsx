import { Drawer, Kbd, Modal } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import type { NavGroup } from './navigation.js';
import { t } from './texts.js';

/** The menu on small screens. */
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
    <div
      className="fa-side-drawer"
      // A link to the current screen closes the menu too.
      onClick={(event) => {
        if (event.target instanceof Element && event.target.closest('a') !== null) onClose();
      }}
    >
      {children}
    </div>
  </Drawer>
);

export const KeysHelp = ({
  onClose,
  palette,
  groups,
}: {
  onClose: () => void;
  palette: boolean;
  groups: readonly NavGroup[];
}): ReactNode => (
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
        <Kbd>J</Kbd> <Kbd>K</Kbd>
      </dt>
      <dd>{t('Next and previous row')}</dd>
      <dt>
        <Kbd>X</Kbd>
      </dt>
      <dd>{t('Select the row')}</dd>
      {groups
        .flatMap(({ items }) => items)
        .filter(({ key }) => key !== undefined)
        .map(({ key = '', href, label }) => (
          <Fragment key={href}>
            <dt>
              <Kbd>G</Kbd> <Kbd>{key.toUpperCase()}</Kbd>
            </dt>
            <dd>{label}</dd>
          </Fragment>
        ))}
      <dt>
        <Kbd>?</Kbd>
      </dt>
      <dd>{t('This help')}</dd>
      <dt>
        <Kbd>Esc</Kbd>
      </dt>
      <dd>{t('Close the open dialog or menu')}</dd>
    </dl>
  </Modal>
);
