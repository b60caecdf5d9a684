import type { ReactNode } from 'react';
import { t } from './texts.js';

/** The label of an input that may stay empty. */
export const optional = (label: ReactNode): ReactNode => (
  <>
    {label} <span className="fa-optional">({t('optional')})</span>
  </>
);
