import type { ReactNode } from 'react';

/** A confirmation dialog before an action. */
export interface Confirmation {
  readonly title: string;
  /** The consequences, with amounts and counts. */
  readonly text: ReactNode;
  readonly yes: string;
  readonly danger?: boolean;
  /** Text the user must type to enable the button. */
  readonly type?: string;
  /** A text input of the dialog, e.g. for a reason; `share` labels a checked box below it. */
  readonly reason?: { readonly label: string; readonly required?: boolean; readonly share?: string };
  readonly run: (reason: string, isShared: boolean) => Promise<unknown>;
  /** Called when the dialog closes, confirmed or not. */
  readonly onClose?: () => void;
}
