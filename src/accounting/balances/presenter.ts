import { minor, toWire } from '../../core/money.js';
import type { CommissionStateDto } from '../api-schemas.js';
import type { BalanceDto } from '../../program/api-schemas.js';
import type { Balance, CommissionState } from './types.js';

export function presentBalance(balance: Balance): BalanceDto {
  const { currency } = balance;
  const money = (amount: number): number => toWire(minor(amount), currency);
  return {
    currency,
    payable: money(balance.payable_minor),
    waiting: money(balance.waiting_minor),
    held: money(balance.held_minor),
    on_its_way: money(balance.on_its_way_minor),
    paid: money(balance.paid_minor),
    canceled: money(balance.canceled_minor),
    canceled_reasons: Object.fromEntries(
      Object.entries(balance.canceled_reasons).map(([reason, amount]) => [reason, money(amount)]),
    ),
  };
}

export function presentState(
  { state, counted_minor: counted, would_have_been_minor: would }: CommissionState,
  currency: string,
): CommissionStateDto {
  return {
    state,
    counted_amount: toWire(minor(counted), currency),
    would_have_been: would === null ? null : toWire(minor(would), currency),
  };
}
