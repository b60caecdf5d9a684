import { t } from '../../shared/texts.js';

/** The name of a commission: its order number, else its ID. */
export const referralName = (row: { readonly id: number; readonly description: string | null }): string =>
  row.description || t('Commission {id}', { id: row.id });
