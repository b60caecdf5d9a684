import type { ConversionInput } from './types.js';

/** The order as filters see it: the submitted data without the source's own object. */
export function orderData(input: ConversionInput): Readonly<Record<string, unknown>> {
  const { vendor_order: _vendor, rules: _rules, settings: _settings, ...data } = input;
  return data;
}
