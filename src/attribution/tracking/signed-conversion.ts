import { cut, plainLine } from '../../core/text.js';
import { readJson } from '../../core/json.js';
import { fail } from '../../errors.js';
import type { Deps } from './deps.js';
import type { ReportedOrder } from './types.js';

const PURPOSE = 'browser-conversion';
const HOUR_SECONDS = 3600;
const PROVIDER = 'browser';

/** An order signed by the host. The page sends it back and cannot change it (docs/tracking.md §10). */
export interface BrowserConversion {
  /** The amount the commission is computed from, never the commission itself. */
  readonly amount: string | number;
  readonly currency?: string;
  readonly provider_id: string | number;
  /** In epoch seconds; by default one hour from now. */
  readonly exp?: number;
  readonly provider?: string;
  readonly provider_sub_id?: string;
  readonly type?: 'sale' | 'lead';
  /** `unpaid` (earned at once) by default; `pending` when the payment is still expected. */
  readonly status?: 'pending' | 'unpaid';
  readonly description?: string;
  readonly customer?: { readonly email?: string; readonly user_id?: number };
}

/** `<content>.<signature>`, safe in an attribute or a form field. */
export function signConversion(app: Deps, conversion: BrowserConversion): string {
  const exp = conversion.exp ?? Math.floor(app.clock.now() / 1000) + HOUR_SECONDS;
  const content = Buffer.from(JSON.stringify({ ...conversion, exp })).toString('base64url');
  return `${content}.${app.secrets.sign(PURPOSE, content)}`;
}

/** The signed order; throws when it was changed or has expired. */
export function openConversion(app: Deps, token: string): ReportedOrder {
  const [content = '', signature = ''] = token.split('.');
  const signed = app.secrets.verify(PURPOSE, content, signature)
    ? readJson<BrowserConversion | null>(Buffer.from(content, 'base64url').toString(), null)
    : null;
  if (signed === null) fail('conversion_signature_invalid');
  if (!(app.clock.now() / 1000 < (signed.exp ?? 0))) fail('signature_expired');
  return {
    ...orderOf(signed, signed.provider ?? PROVIDER),
    status: signed.status ?? 'unpaid',
    customer: signed.customer ?? null,
  };
}

/**
 * An order that a page reports without a signature; a person has to approve it. It has keys of its own, so
 * that it cannot replace an order of a shop.
 */
export function unsignedConversion(fields: Readonly<Record<string, unknown>>): ReportedOrder {
  const text = (name: string): string =>
    cut(
      plainLine(
        typeof fields[name] === 'string' || typeof fields[name] === 'number' ? String(fields[name]) : '',
      ),
      191,
    );
  const claimed = {
    amount: text('amount'),
    currency: text('currency'),
    provider_id: text('provider_id') || text('reference'),
    provider_sub_id: text('provider_sub_id'),
    description: text('description'),
    type: ['lead', 'signup'].includes(text('type')) ? ('lead' as const) : ('sale' as const),
  };
  return {
    ...orderOf(claimed, text('provider') || PROVIDER),
    account: 'unsigned',
    status: 'pending',
    settings: { review: 'unsigned' },
  };
}

function orderOf(
  from: Omit<BrowserConversion, 'provider' | 'exp'>,
  provider: string,
): Omit<ReportedOrder, 'status'> {
  const { amount, currency, provider_id: reference, provider_sub_id: sub, type = 'sale', description } = from;
  return {
    provider,
    reference,
    type,
    ...(sub ? { sub_reference: sub } : {}),
    ...(description ? { description } : {}),
    // A lead may have no amount.
    ...(type === 'lead' && amount === ''
      ? {}
      : { order: { subtotal: amount, ...(currency ? { currency } : {}) } }),
  };
}
