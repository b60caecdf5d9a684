import { DETAILS_PURPOSE } from '../../core/details-purpose.js';
import { readJson } from '../../core/json.js';
import { cleanText } from '../../core/text.js';
import { fail, failFields } from '../../errors.js';
import type { Db } from '../../platform/database/db.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import { keepsOwn, profileKind } from './method-facts.js';
import type { Deps } from './deps.js';
import * as store from './repository.js';
import type { DetailsField, DetailsForm, PayoutMethod } from '../../accounting/payouts/types.js';
import type { DetailsRow } from './record.js';

export type Details = Readonly<Record<string, string>>;
const MARK = 'payment-details-mark';
const FIELD_MAX = 200;

/** What affiliates entered to be paid: in the profile, or for one method, encrypted. */
export class PaymentDetailsStore {
  constructor(private readonly app: Deps) {}

  /** The details a method would use for these affiliates; absent: none. */
  async of(
    method: PayoutMethod,
    affiliates: ReadonlyMap<number, Affiliate>,
  ): Promise<ReadonlyMap<number, { readonly details: Details | null; readonly stored: DetailsRow | null }>> {
    const stored = await store.detailsOf(this.app.db, [...affiliates.keys()], method.key);
    return new Map(
      [...affiliates].map(([id, affiliate]) => {
        const row = stored.get(id) ?? null;
        return [id, { details: this.#read(method, affiliate, row), stored: row }];
      }),
    );
  }

  #read(method: PayoutMethod, affiliate: Affiliate, row: DetailsRow | null): Details | null {
    if (keepsOwn(method)) return row?.sealed ? this.open(row.sealed) : null;
    return this.ofProfile(method, affiliate);
  }

  /** The details of the profile that the method uses. */
  ofProfile(method: PayoutMethod, affiliate: Affiliate): Details | null {
    const kind = profileKind(method);
    if (kind === null) return {};
    const value = kind === 'payment_email' ? affiliate.payment_email : affiliate.settings.bank_details;
    return value ? { [kind]: value } : null;
  }

  open(sealed: string): Details | null {
    return readJson<Details | null>(this.app.secrets.open(DETAILS_PURPOSE, sealed), null);
  }

  /** Differs for different details, without showing them. */
  mark(method: string, details: Details): string {
    const text = Object.keys(details)
      .toSorted()
      .map((name) => `${name}=${details[name]}`)
      .join('\n');
    return this.app.secrets.sign(MARK, `${method}\n${text}`);
  }

  /** Checks details by the form of the method and by the payer, then stores them. Throws `payment_details_refused`. */
  async save(
    affiliateId: number,
    method: PayoutMethod,
    input: Readonly<Record<string, unknown>>,
    known: Details | null,
  ): Promise<void> {
    const form = formOf(method);
    const isConnected = method.connect !== undefined && known !== null && Object.keys(input).length === 0;
    const details = isConnected ? known : readForm(form, input);
    await this.#check(method, details);
    await this.app.transaction((trx) => this.store(trx, affiliateId, method, details));
  }

  async store(
    trx: Db,
    affiliateId: number,
    method: PayoutMethod,
    details: Details,
    reason: string | null = null,
  ): Promise<void> {
    const row = {
      affiliate_id: affiliateId,
      method: method.key,
      sealed: this.app.secrets.seal(DETAILS_PURPOSE, JSON.stringify(details)),
      label: formOf(method).mask(details).slice(0, 100),
      state: reason === null ? ('ok' as const) : ('refused' as const),
      reason,
      mark: this.mark(method.key, details),
    };
    await store.saveDetails(trx, row, this.app.clock.now());
    await this.app.audit.write(trx, 'affiliate.payment_details', ['affiliate', affiliateId], {
      after: { method: method.key, mark: row.mark.slice(0, 16) },
    });
    const data = (await this.app.affiliates.dtosOf([affiliateId])).get(affiliateId);
    if (data)
      await this.app.eventLog.append(trx, 'affiliate.payment_details_changed', {
        id: affiliateId,
        data: { ...data, payment_details: { method: row.method, label: row.label } },
      });
  }

  /** The payer knows something new about these details: it is asked whether they can be paid. */
  async verify(method: PayoutMethod, news: readonly Details[]): Promise<void> {
    const marks = new Map(news.map((details) => [this.mark(method.key, details), details]));
    for (const row of await store.detailsByMarks(this.app.db, method.key, [...marks.keys()])) {
      const { currency } = await this.app.settings.referralConfig();
      const reason = await refusalOf(this.app, method, marks.get(row.mark)!, { amount: null, currency });
      await this.#storeVerdict(method, row, reason);
    }
  }

  /** Notifies affiliates that their details cannot be paid, at any amount. */
  async refuse(
    method: PayoutMethod,
    refused: readonly {
      readonly affiliate_id: number;
      readonly details: Details;
      readonly currency: string;
    }[],
  ): Promise<void> {
    for (const { affiliate_id, details, currency } of refused) {
      const reason = await refusalOf(this.app, method, details, { amount: null, currency });
      if (reason === null) continue;
      await this.#storeVerdict(method, { affiliate_id, mark: this.mark(method.key, details) }, reason);
    }
  }

  async #storeVerdict(
    method: PayoutMethod,
    row: { readonly affiliate_id: number; readonly mark: string },
    reason: string | null,
  ): Promise<void> {
    const state = reason === null ? 'ok' : 'refused';
    await this.app.transaction(async (trx) => {
      await store.storeVerdict(trx, { ...row, method: method.key, state, reason }, this.app.clock.now());
      await this.app.audit.write(trx, 'affiliate.payment_details', ['affiliate', row.affiliate_id], {
        after: { method: method.key, mark: row.mark.slice(0, 16), state },
      });
    });
  }

  async #check(method: PayoutMethod, details: Details): Promise<void> {
    const { currency } = await this.app.settings.referralConfig();
    const reason = await refusalOf(this.app, method, details, { amount: null, currency });
    if (reason !== null) fail('payment_details_refused', { message: reason });
  }
}

/** Asks the method whether these details can be paid; null: yes. Host code, so outside transactions. */
export async function refusalOf(
  app: Deps,
  method: PayoutMethod,
  details: Details,
  payment: { readonly amount: string | null; readonly currency: string },
): Promise<string | null> {
  if (method.check === undefined) return null;
  try {
    const response = await method.check(details, payment);
    if (response.ok) return null;
    return cleanText(String(response.reason)).slice(0, 255) || 'These details were rejected.';
  } catch (error) {
    app.log.warn('a payout method could not check payment details', { method: method.key, error });
    return fail('payer_failed', { cause: error });
  }
}

function formOf(method: PayoutMethod): DetailsForm {
  return typeof method.details === 'object' ? method.details : fail('payer_not_found');
}

function readForm(form: DetailsForm, input: Readonly<Record<string, unknown>>): Details {
  const errors: Record<string, Record<string, string>> = {};
  const details: Record<string, string> = {};
  for (const [name, field] of Object.entries(form.schema)) {
    const sent = Object.hasOwn(input, name) ? input[name] : undefined;
    const value = typeof sent === 'string' ? cleanText(sent) : '';
    const wrong = faultOf(field, value);
    if (wrong !== null) errors[name] = wrong;
    else if (value !== '') details[name] = value;
  }
  if (Object.keys(errors).length > 0) failFields(errors);
  return details;
}

function faultOf(
  { label, required, maxLength, choices }: DetailsField,
  value: string,
): Record<string, string> | null {
  if (value === '') return required === false ? null : { required: `${label} is required.` };
  const max = maxLength ?? FIELD_MAX;
  if (Array.from(value).length > max) return { max: `${label} must have at most ${max} characters.` };
  return choices && !choices.includes(value)
    ? { in: `${label} must be one of: ${choices.join(', ')}.` }
    : null;
}
