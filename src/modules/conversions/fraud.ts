import type { IncomingMessage } from 'node:http';
import type { App } from '../../app.js';
import { AffiliateError } from '../../errors.js';
import { clientAddress } from '../../http/client-address.js';
import { RateLimiter } from '../../http/rate-limit.js';
import type { Visit } from '../visits/types.js';
import type { Credit } from './attribution.js';
import type { Conversion } from './types.js';

const DAY = 86_400_000;
/** Well-known services for throw-away addresses; option `fraud.disposableDomains` adds more. */
const DISPOSABLE = [
  '10minutemail.com', 'dispostable.com', 'fakeinbox.com', 'getnada.com', 'guerrillamail.com', 'mailcatch.com', 'maildrop.cc', 'mailinator.com',
  'mailnesia.com', 'mohmal.com', 'sharklasers.com', 'temp-mail.org', 'tempmail.com', 'throwawaymail.com', 'trashmail.com', 'yopmail.com',
];

export type FraudRule = 'disposable_mail' | 'banned_referrer' | 'fast_order' | 'address_orders';
export type FraudAction = 'flag' | 'hold' | 'reject';
export interface FraudHit { readonly rule: FraudRule; readonly action: FraudAction }

interface Suspect { readonly conversion: Conversion; readonly visit: Visit | null; readonly address: string | null }

/** Rules that look at a first sale, each with its own consequence (tracking §20). The strongest one decides. */
export class FraudRules {
  readonly #limiter: RateLimiter;

  constructor(private readonly app: App) {
    this.#limiter = new RateLimiter(app);
  }

  async check(conversion: Conversion, credit: Credit, req: IncomingMessage | null): Promise<readonly FraudHit[]> {
    const { fraud, tracking } = this.app.options;
    const visit = credit.visit_id === null ? null : await this.app.visits.find(credit.visit_id);
    const fromRequest = req === null || conversion.created_by_staff ? null : clientAddress(req, tracking.trustProxy);
    const suspect = { conversion, visit, address: conversion.customer.ip ?? fromRequest };
    const rules: readonly (readonly [FraudRule, FraudAction | 'off', (suspect: Suspect) => boolean | Promise<boolean>])[] = [
      ['disposable_mail', fraud.disposableMail, (each) => this.#disposable(each)],
      ['banned_referrer', fraud.bannedReferrer, (each) => this.#banned(each)],
      ['fast_order', fraud.fastOrder, (each) => this.#fast(each)],
      ['address_orders', fraud.addressOrders, (each) => this.#tooMany(each)],
    ];
    const hits: FraudHit[] = [];
    for (const [rule, action, matches] of rules) if (action !== 'off' && await matches(suspect)) hits.push({ rule, action });
    return hits;
  }

  #disposable({ conversion }: Suspect): boolean {
    const domain = conversion.customer.email?.split('@').at(-1)?.trim().toLowerCase() ?? '';
    return [...DISPOSABLE, ...this.app.options.fraud.disposableDomains].some((known) => isBelow(domain, known));
  }

  #banned({ visit }: Suspect): boolean {
    if (!visit?.referrer || !URL.canParse(visit.referrer)) return false;
    const { hostname } = new URL(visit.referrer);
    return this.app.options.fraud.bannedReferrers.some((host) => isBelow(hostname, host));
  }

  #fast({ visit }: Suspect): boolean {
    return visit !== null && this.app.clock.now() - visit.created_at < this.app.options.fraud.fastOrderSeconds * 1000;
  }

  /** Orders per address and day, counted under a keyed hash: the address itself is not kept. */
  async #tooMany({ address }: Suspect): Promise<boolean> {
    if (address === null) return false;
    const limit = { name: 'orders', points: this.app.options.fraud.addressOrdersPerDay, windowMs: DAY, batch: 1 };
    try {
      await this.#limiter.take(limit, this.app.secrets.sign('order-address', address));
      return false;
    } catch (error) {
      if (error instanceof AffiliateError && error.code === 'rate_limited') return true;
      throw error;
    }
  }
}

/** The domain itself or one below it; `*.` in front means the same. */
function isBelow(host: string, pattern: string): boolean {
  const domain = pattern.trim().toLowerCase().replace(/^\*?\./, '');
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
}
