import type { Affiliate } from '../../program/affiliates/types.js';
import type { FraudHit } from '../fraud/types.js';
import type { Deps } from './deps.js';
import type { Conversion, ConversionInput } from './types.js';

/**
 * May the conversion be credited? The host's filters decide, and are given the objections found before
 * (docs/tracking.md §6).
 */
export async function isVetoed(
  app: Deps,
  conversion: Conversion,
  affiliate: Affiliate,
  { input, hits }: { input: ConversionInput; hits: readonly FraudHit[] },
): Promise<boolean> {
  if (!app.hooks.isUsed('should_process_referral')) return false;
  const { payment_fingerprint: _payment, ...customer } = conversion.customer;
  const check = {
    affiliate,
    customer,
    order_data: orderData(input),
    provider: conversion.provider,
    reasons: hits.map(({ rule }) => rule),
  };
  return !(await app.hooks.applyFilters('should_process_referral', true, check));
}

/** The order as filters see it: the submitted data without the source's own object. */
export function orderData(input: ConversionInput): Readonly<Record<string, unknown>> {
  const { vendor_order: _vendor, rules: _rules, settings: _settings, ...data } = input;
  return data;
}
