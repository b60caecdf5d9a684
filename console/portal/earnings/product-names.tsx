import type { ReactNode } from 'react';
import { number, t } from '../../shared/texts.js';

const MOST = 3;

/** What the customer bought, where the description does not say it already. */
export function ProductNames({
  row: { products, description },
}: {
  row: { readonly products: readonly string[]; readonly description: string };
}): ReactNode {
  if (products.length === 0 || (products.length === 1 && products[0] === description)) return null;
  const first = products.slice(0, MOST).join(' · ');
  const more = products.length - MOST;
  return (
    <span className="fa-faint fa-products" dir="auto">
      {more > 0
        ? t('{products} and {count} more', { products: first, count: number(more) })
        : first}
    </span>
  );
}
