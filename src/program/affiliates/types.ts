import type { RecordQuery } from '../../records/filters.js';
import type { Group } from '../groups/types.js';
import type { FormOf, FormValuesOf } from '../../records/record.js';
import type { Affiliate, affiliates } from './record.js';
import type { AffiliateStatus, InvoiceDetails, YesNo } from './words.js';

export type { Affiliate } from './record.js';
export * from './words.js';

type FormColumns = FormValuesOf<typeof affiliates>;

/** A new affiliate made by code: registration, imports, extensions. Absent fields take the defaults. */
export interface AffiliateInput extends Partial<Omit<FormColumns, 'rate_e4'>> {
  readonly user_id: number;
  readonly status: AffiliateStatus;
  readonly rate?: string | number | null;
  readonly bank_details?: string;
  readonly custom_fields?: Readonly<Record<string, unknown>>;
}

/**
 * The administrator's form, unchecked: the service checks every key, because of rules between fields and
 * because forms send text.
 */
export interface AffiliateForm extends FormOf<typeof affiliates> {
  readonly bank_details?: unknown;
  /** Fields of extensions, by name. */
  readonly custom_fields?: unknown;
}

/** Only present keys are validated and changed. */
export type AffiliatePatch = Omit<AffiliateForm, 'user_id'>;

/** What affiliates may change about themselves. The portal checks the values. */
export interface ProfilePatch {
  readonly payment_email?: string | null;
  readonly bank_details?: string;
  readonly disable_new_ref_email?: YesNo;
  readonly disable_payout_email?: YesNo;
  readonly disable_announcements?: YesNo;
  readonly invoice?: InvoiceDetails;
  /** The value of the links; null clears it. Former values still credit the affiliate. */
  readonly custom_param?: string | null;
  /** Merged over the stored answers. */
  readonly custom_fields?: Readonly<Record<string, unknown>>;
}

/** The columns that the administrator's form sets. */
export type EditableFields = Omit<FormColumns, 'user_id'> & Pick<Affiliate, 'settings'>;

export interface ResolvedRate {
  readonly source: 'affiliate' | 'group' | 'global';
  readonly type: 'percentage' | 'flat';
  readonly rate_e4: number;
  /** The group that the rate comes from. */
  readonly group: Group | null;
}

export interface AffiliateListQuery extends RecordQuery {
  readonly page: number;
  readonly per_page: number;
  readonly search?: string;
  readonly status?: unknown;
  readonly order_by?: string;
  readonly order_type?: 'ASC' | 'DESC';
  readonly filters?: unknown;
  /** Those who asked for the deletion of their data. */
  readonly asks_deletion?: YesNo;
  /** Members of this group only. */
  readonly groupId?: number;
}

/** Which parts of a row the caller may see. */
export interface Visibility {
  /** For callers who may change affiliates or read payouts. */
  readonly bankDetails: boolean;
}

/** A merge of two accounts of one person: `from` becomes part of `into`. */
export interface AffiliateMerge {
  readonly from: number;
  readonly into: number;
}

/** Where a slice of rows that are moved begins. */
export interface SliceAt {
  readonly afterId: number;
  readonly limit: number;
}

export interface Slice {
  readonly moved: number;
  /** The last row of it; null when there was none left. */
  readonly afterId: number | null;
}
