import { t } from '../../shared/texts.js';

/** What a referral is called: by its order, else by its number. */
export const referralName = (row: { readonly id: number; readonly description: string | null }): string =>
  row.description || t('Referral {id}', { id: row.id });
