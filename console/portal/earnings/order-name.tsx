import type { ReactNode } from 'react';
import { t, tn } from '../../shared/texts.js';

/** Maximum number of product names. */
const MOST = 3;

export interface Order {
  readonly id: number;
  readonly description: string;
  readonly order_number: string | null;
  readonly products: readonly string[];
}

/** The name of an order for its affiliate, without repeated parts. */
export function OrderName({
  of: { id, description, order_number: number, products },
}: {
  of: Order;
}): ReactNode {
  const isNamed = number === null || description.includes(number);
  const isSold = products.length > 1 || (products.length === 1 && products[0] !== description);
  return (
    <>
      <span>
        <span className="fa-strong">{description || t('Commission {id}', { id })}</span>
        {!isNamed && <span className="fa-faint"> {t('Order {number}', { number: isolated(number) })}</span>}
      </span>
      {isSold && <span className="fa-faint fa-products">{productsText(products)}</span>}
    </>
  );
}

/** A text of the shop, which may have another direction than the page. */
const isolated = (text: string): string => `\u2068${text}\u2069`;

function productsText(products: readonly string[]): string {
  const first = products.slice(0, MOST).map(isolated).join(' · ');
  const more = products.length - MOST;
  return more > 0
    ? tn('{products} and {count} more', '{products} and {count} more', more, { products: first })
    : first;
}
