import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { t } from './texts.js';
import { toast } from './toast.js';

/** What was done, for long enough to take it back. */
export function showUndo(text: string, undo: () => Promise<unknown>): void {
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
            undo().then(
              () => toast.done(t('Taken back')),
              (error: unknown) => toast.failed(error),
            );
          }}
        >
          {t('Undo')}
        </Button>
      </span>
    ),
  });
}
