import { isCurrency } from '../core/money.js';
import type { FieldCheck } from '../errors.js';
import { isMissing } from './form.js';

interface CurrencyField {
  /** The value when the field is empty or wrong. It is always accepted itself. */
  readonly fallback: string;
  readonly name?: string;
  /** The sentence for a code that ISO 4217 does not know. */
  readonly refusal?: string;
}

/** The currency a caller names, as an ISO 4217 code in capitals. */
export function readCurrency(
  check: FieldCheck,
  value: unknown,
  { fallback, name = 'currency', refusal = 'No such currency.' }: CurrencyField,
): string {
  if (isMissing(value)) return fallback;
  const code = typeof value === 'string' ? value.trim().toUpperCase() : '';
  if (code === fallback || isCurrency(code)) return code;
  check.add(name, 'in', refusal);
  return fallback;
}
