import type { IncomingMessage } from 'node:http';
import type { App } from '../../app.js';
import type { Affiliate } from '../affiliates/types.js';
import { mailbox } from './mail.js';
import type { Conversion, ConversionInput, SkipReason } from './types.js';

/** What speaks against a credited conversion, in the order of tracking §8; null when nothing does. */
export class Guards {
  constructor(private readonly app: App) {}

  async check(conversion: Conversion, affiliate: Affiliate, context: { readonly input: ConversionInput; readonly req: IncomingMessage | null }): Promise<SkipReason | null> {
    if (conversion.upgrade) return 'upgrade_order';
    if (await this.#selfReferral(conversion, affiliate, context.req)) return 'self_referral';
    const check = { affiliate, customer: conversion.customer, order_data: orderData(context.input), provider: conversion.provider, reasons: [] };
    return await this.app.hooks.applyFilters('should_process_referral', true, check) ? null : 'refused';
  }

  /** Own purchases: same host user, or same mailbox as the payment or account address. */
  async #selfReferral({ customer }: Conversion, affiliate: Affiliate, req: IncomingMessage | null): Promise<boolean> {
    if ((await this.app.settings.referralConfig()).self_referral_disabled === 'no') return false;
    const signedIn = req === null ? null : await this.app.host.currentUser(req);
    const account = affiliate.user_id === null ? undefined : (await this.app.users([affiliate.user_id])).get(affiliate.user_id);
    const box = mailbox(customer.email);
    const sameUser = affiliate.user_id !== null && [customer.user_id, signedIn?.id].includes(affiliate.user_id);
    const sameMail = box !== null && [affiliate.payment_email, account?.email].some((address) => mailbox(address) === box);
    return this.app.hooks.applyFilters('is_self_referral', sameUser || sameMail, { affiliate, customer });
  }
}

/** The order as filters see it: what was submitted, without the source's own object. */
export function orderData(input: ConversionInput): Readonly<Record<string, unknown>> {
  const { vendor_order: _vendor, rules: _rules, settings: _settings, ...data } = input;
  return data;
}
