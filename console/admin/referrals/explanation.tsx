import type { ReactNode } from 'react';
import { currencyDigitsOf, money } from '../../shared/money.js';
import { Facts } from '../../shared/parts.js';
import { Sheet } from '../../shared/sheet.js';
import { number, t, word } from '../../shared/texts.js';
import { savedRate } from '../rates.js';
import { ruleText, stepText } from './order-texts.js';
import { productsOf, type ProductView, type ReferralView } from './view.js';

/** The stored explanation of a commission. */
interface Explanation {
  readonly level?: string;
  readonly source?: string;
  readonly basis?: { readonly base_minor: number; readonly counted: readonly string[] };
  readonly rate?: string;
  readonly exchange?: { readonly from: string; readonly rate: string };
  readonly lines?: readonly Line[];
}

interface Line {
  readonly item_id: string | null;
  readonly source: string;
  readonly rate: string;
  readonly base_minor: number;
  readonly amount_minor: number;
}

/** The calculation of a commission, step by step. */
export function Explanation({ referral }: { referral: ReferralView }): ReactNode {
  const settings = referral.settings ?? {};
  const found = settings['commission'] as Explanation | undefined;
  const currency = referral.currency;
  const amount = (minor: number): string => money(minor / 10 ** currencyDigitsOf(currency), currency);
  if (found?.basis === undefined)
    return (
      <div className="fa-stack">
        <p className="fa-soft">
          {referral.provider === null || referral.provider === 'manual'
            ? t('This commission was entered by hand.')
            : t('The calculation of this commission wasn’t stored.')}
        </p>
        <Steps referral={referral} />
        <Sum label={t('Commission')} value={money(referral.counted_amount, currency)} />
      </div>
    );
  const lines = found.lines ?? [];
  const products = productsOf(referral);
  return (
    <div className="fa-stack">
      <Facts
        facts={[
          {
            label: t('What counts'),
            value: (
              <>
                {amount(found.basis.base_minor)}{' '}
                <span className="fa-faint">{found.basis.counted.map(partText).join(' + ')}</span>
              </>
            ),
          },
          {
            label: t('Rate'),
            value: (
              <>
                {savedRate(found.rate)} <span className="fa-faint">{sourceText(found.source)}</span>
              </>
            ),
          },
          found.exchange !== undefined && {
            label: t('Exchange'),
            value: t('1 {currency} = {rate}', {
              currency: found.exchange.from,
              rate: number(Number(found.exchange.rate), 6),
            }),
          },
          {
            label: t('Rounding'),
            value: t('Once, to {amount}', { amount: amount(1) }),
          },
        ]}
      />
      {lines.length > 0 && (
        <Sheet
          cards
          rows={[...lines.entries()]}
          rowKey={([at]) => at}
          columns={[
            {
              label: t('Part of the order'),
              cell: ([at]) => <span className="fa-strong">{lineText(lines, at, products)}</span>,
            },
            {
              label: t('Rate'),
              cell: ([, line]) => (
                <span>
                  {savedRate(line.rate)} <span className="fa-faint">{sourceText(line.source)}</span>
                </span>
              ),
            },
            { label: t('What counts'), number: true, cell: ([, line]) => amount(line.base_minor) },
            { label: t('Commission'), number: true, cell: ([, line]) => amount(line.amount_minor) },
          ]}
        />
      )}
      <Steps referral={referral} />
      <Sum label={t('Commission now')} value={money(referral.counted_amount, currency)} />
    </div>
  );
}

/** The history of an order's commission. */
function Steps({ referral: { order } }: { referral: ReferralView }): ReactNode {
  if (order === null) return null;
  return (
    <div>
      <h3>{t('Calculation')}</h3>
      <ol className="fa-why">
        {order.steps.map((step, at) => (
          <li key={at}>
            <span>{stepText(step, order.currency)}</span>
            <span className="fa-number">{money(step.amount, order.currency)}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

const Sum = ({ label, value }: { label: string; value: string }): ReactNode => (
  <div className="fa-sum">
    <span>{label}</span>
    <strong className="fa-number">{value}</strong>
  </div>
);

/** The product title of a line; lines of one product follow the order of its titles. */
function lineText(lines: readonly Line[], at: number, products: readonly ProductView[]): string {
  const id = lines[at]?.item_id ?? null;
  if (id === null) return t('The rest of the order');
  const isOfLine = ({ item_id: each }: ProductView): boolean =>
    typeof each === 'number' ? each === Number(id) : each === id;
  const earlier = lines.slice(0, at).filter(({ item_id: each }) => each === id).length;
  const same = products.filter(isOfLine);
  return (same[earlier] ?? same[0])?.title || t('Product {id}', { id });
}

function sourceText(source: string | undefined): string {
  if (source === undefined) return '';
  return source === 'given' ? t('the shop set the amount') : ruleText(source);
}

function partText(part: string): string {
  const texts: Readonly<Record<string, string>> = {
    goods: t('goods'),
    subtotal: t('goods'),
    shipping: t('shipping'),
    tax: t('tax'),
    fees: t('fees'),
    discount: t('discount'),
  };
  return texts[part] ?? word(part);
}
