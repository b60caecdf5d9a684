import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { t } from './texts.js';

/** A toast with an Undo button. */
export function showUndo(text: string, undo: () => void): void {
  const id = notifications.show({
    color: 'teal',
    autoClose: 20_000,
    role: 'status',
    message: (
      <span className="fa-row fa-spread">
        {text}
        <Button
          size="compact-sm"
          variant="light"
          onClick={() => {
            notifications.hide(id);
            undo();
          }}
        >
          {t('Undo')}
        </Button>
      </span>
    ),
  });
}
