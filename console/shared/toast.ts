import type { NotificationData } from '@mantine/notifications';
import { ApiError } from '../../client/index.js';
import { sentence, t } from './texts.js';

/** What an error of this code means, in the reader's language; the server's own sentence where there is no other. */
export function errorText(code: string, message: string): string {
  const own: Readonly<Record<string, string>> = {
    offline: t('The server cannot be reached right now.'),
    busy: t('The server is busy right now.'),
    not_started: t('The server is busy right now.'),
    service_closed: t('The server is busy right now.'),
    preview_outdated: t(
      'Somebody changed or paid these commissions since the preview. Look at it again before you pay.',
    ),
    nothing_to_pay: t('There is nothing left to pay. Somebody may have paid it a moment ago.'),
    rest_forbidden: t('You do not have the right to do this.'),
    internal_error: t('Something went wrong on the server. Nothing was changed.'),
    search_too_slow: t(
      'The search took too long. Choose days or an affiliate in the filter; it then looks at fewer rows.',
    ),
    outcome_unknown: t('The connection broke while saving. Check whether it was saved before you try again.'),
  };
  return own[code] ?? sentence(message);
}

/** A sentence for people; the code stands behind it in small print. */
export function sentenceOf(error: unknown): { readonly text: string; readonly code: string } {
  if (!(error instanceof ApiError))
    return { text: t('Something went wrong on this page.'), code: 'page_error' };
  const { code, message, errors } = error;
  const [first] = Object.values(errors);
  const field = code === 'validation_failed' && first ? Object.values(first)[0] : undefined;
  return { text: field === undefined ? errorText(code, message) : sentence(field), code };
}

/** Its code is loaded with the first message. */
async function show(message: NotificationData): Promise<void> {
  const { notifications } = await import('@mantine/notifications');
  notifications.show(message);
}

/** Short messages at the edge of the screen, read out by screen readers. */
export const toast = {
  done(text: string): void {
    void show({ message: text, color: 'teal', autoClose: 4000, role: 'status' });
  },
  /** With a button that takes it back. */
  undoable(text: string, undo: () => Promise<unknown>): void {
    void import('./undo-toast.js').then(({ showUndo }) => showUndo(text, undo));
  },
  failed(error: unknown): void {
    const { text, code } = sentenceOf(error);
    void show({ title: text, message: code, color: 'red', autoClose: 10_000, role: 'alert' });
  },
};
