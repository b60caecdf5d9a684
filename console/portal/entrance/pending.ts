const PENDING = 'affiliate:signup';
const ANSWERS = 'affiliate:signup-answers';

export interface SentCode {
  readonly reference: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly email: string;
  /** When the mail was sent, in milliseconds. */
  readonly sentAt: number;
}

/** A pending sign-up in the browser's storage, so that it survives a reload. */
interface Pending extends Omit<SentCode, 'expiresIn'> {
  readonly until: number;
}

function read(storage: Storage, key: string): unknown {
  try {
    return JSON.parse(storage.getItem(key) ?? 'null') as unknown;
  } catch {
    return null;
  }
}

function write(storage: Storage, key: string, value: unknown): void {
  try {
    if (value === null) storage.removeItem(key);
    else storage.setItem(key, JSON.stringify(value));
  } catch {
    // Without storage it lasts until the page is closed.
  }
}

/** The sign-up that waits for its code; null if there is none or it has expired. */
export function pendingSignup(): SentCode | null {
  const pending = read(localStorage, PENDING) as Pending | null; // written below
  if (pending === null || pending.until <= Date.now()) return null;
  const { reference, email, sentAt, until } = pending;
  return { reference, email, sentAt, expiresIn: Math.round((until - Date.now()) / 1000) };
}

export const keepPending = (sent: SentCode | null): void =>
  write(
    localStorage,
    PENDING,
    sent && {
      reference: sent.reference,
      email: sent.email,
      sentAt: sent.sentAt,
      until: sent.sentAt + sent.expiresIn * 1000,
    },
  );

/** The form's values in this tab, without passwords. */
export const typedAnswers = (): Readonly<Record<string, unknown>> =>
  (read(sessionStorage, ANSWERS) as Readonly<Record<string, unknown>> | null) ?? {};
export const keepAnswers = (answers: Readonly<Record<string, unknown>> | null): void =>
  write(sessionStorage, ANSWERS, answers);
