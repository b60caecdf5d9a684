import type { ReactNode } from 'react';

/** What is asked before something is done. */
export interface Question {
  readonly title: string;
  /** What happens, with sums and counts. */
  readonly text: ReactNode;
  readonly yes: string;
  readonly danger?: boolean;
  /** Has to be typed before the button works: where much goes. */
  readonly type?: string;
  /** A text the deed needs, e.g. a reason. */
  readonly reason?: { readonly label: string; readonly required?: boolean };
  readonly run: (reason: string) => Promise<unknown>;
}
