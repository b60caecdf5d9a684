const MONEY = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const DATE = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** $1,234.50; also for the numbers of wire records. */
export const money = (amount: unknown): string => MONEY.format(Number(amount ?? 0));

export const cents = (amount: number): string => MONEY.format(amount / 100);

export const date = (iso: unknown): string =>
  typeof iso === 'string' && iso !== '' ? DATE.format(new Date(iso)) : '–';

/** A field of a wire record as text. */
export const text = (value: unknown, fallback = '–'): string =>
  (typeof value === 'string' || typeof value === 'number') && value !== '' ? String(value) : fallback;

/** A nested record of a wire record, or an empty one. */
export const inner = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
