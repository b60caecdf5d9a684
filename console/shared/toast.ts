import type { NotificationData } from '@mantine/notifications';
import { ApiError } from '../../client/index.js';
import { sentence, t } from './texts.js';

/** The text of an error code; the server's sentence if the code has no text here. */
export function errorText(code: string, message: string): string {
  const own: Readonly<Record<string, string>> = {
    offline: t('The server cannot be reached right now.'),
    busy: t('The server is busy right now.'),
    not_started: t('The server is busy right now.'),
    service_closed: t('The server is busy right now.'),
    preview_outdated: t(
      'These commissions changed or were paid after the preview. Check the preview again before you pay.',
    ),
    nothing_to_pay: t('There is nothing left to pay. Another manager may have just paid it.'),
    rest_forbidden: t('You do not have the right to do this.'),
    internal_error: t('Something went wrong on the server. Nothing was changed.'),
    search_too_slow: t('The search took too long. Filter by days or affiliate to search fewer rows.'),
    outcome_unknown: t(
      'The connection was lost while saving. Check whether it was saved before you try again.',
    ),
  };
  return own[code] ?? sentence(message);
}

/** The text and the code of an error. */
export function sentenceOf(error: unknown): { readonly text: string; readonly code: string } {
  if (!(error instanceof ApiError))
    return { text: t('Something went wrong on this page.'), code: 'page_error' };
  const { code, message, errors } = error;
  const [first] = Object.values(errors);
  const field = code === 'validation_failed' && first ? Object.values(first)[0] : undefined;
  return { text: field === undefined ? errorText(code, message) : sentence(field), code };
}

/** Their text says everything; other codes help who is asked for help. */
const EXPLAINED: ReadonlySet<string> = new Set(['offline', 'validation_failed']);

/** Loads the notifications on first use. */
async function show(message: NotificationData): Promise<void> {
  const { notifications } = await import('@mantine/notifications');
  notifications.show(message);
}

/** Toasts, announced by screen readers. */
export const toast = {
  done(text: string): void {
    void show({ message: text, color: 'teal', autoClose: 4000, role: 'status' });
  },
  /** A success toast with an Undo button. */
  undoable(text: string, undo: () => Promise<unknown>): void {
    const run = (): void =>
      void undo().then(
        () => toast.done(t('Undone')),
        (error: unknown) => toast.failed(error),
      );
    void import('./undo-toast.js').then(({ showUndo }) => showUndo(text, run));
  },
  failed(error: unknown): void {
    const { text, code } = sentenceOf(error);
    const message = EXPLAINED.has(code) ? '' : code;
    void show({ title: text, message, color: 'red', autoClose: 10_000, role: 'alert' });
  },
};
