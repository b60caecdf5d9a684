import { Pagination } from '@mantine/core';
import type { ReactNode } from 'react';
import { useParams } from 'wouter';
import { ApiError } from '../../../client/index.js';
import { useAddress } from '../../shared/address.js';
import { boot } from '../../shared/boot.js';
import { useRead, type ResponseOf } from '../../shared/data.js';
import { bothZones, date, DateTime } from '../../shared/dates.js';
import { DownloadButton, PrintButton } from '../../shared/file-buttons.js';
import { Money, money } from '../../shared/money.js';
import { AppLink, Empty, Loaded, PageHead, Status } from '../../shared/parts.js';
import { stateText } from '../../shared/money-states.js';
import { t, tn } from '../../shared/texts.js';
import { OrderName } from '../earnings/order-name.js';
import { methodText } from './words.js';

type Statement = ResponseOf<'portal.payment'>;
const ROWS = 200;

/** The statement of one payment, for print. */
export function Payment(): ReactNode {
  const { id = '' } = useParams();
  const address = useAddress();
  const page = Math.max(1, Number(address.get('page', '1')) || 1);
  const reading = useRead('portal.payment', { params: { id }, query: { page, per_page: ROWS } });
  return (
    <>
      <PageHead
        back={{ href: '/payments', label: t('Payments') }}
        title={reading.data?.payment.title || t('Payment')}
        badge={
          reading.data && (
            <Status
              of={reading.data.payment.status}
              label={reading.data.payment.status === 'paid' ? stateText('paid') : stateText('on_its_way')}
            />
          )
        }
        actions={
          reading.data && (
            <>
              <PrintButton />
              <DownloadButton name={`payment-${id}`} of="portal.export_payment" input={{ params: { id } }}>
                {t('CSV')}
              </DownloadButton>
            </>
          )
        }
      />
      {isGone(reading.error) ? (
        <Empty
          title={t('This payment was undone or does not exist')}
          text={t('The commissions of an undone payment are ready to pay again.')}
          action={<AppLink href="/earnings?tab=statement">{t('See your balance statement')}</AppLink>}
        />
      ) : (
        <Loaded of={reading} lines={10}>
          {(statement) => (
            <Sheet statement={statement} onPage={(next) => address.set({ page: next === 1 ? null : next })} />
          )}
        </Loaded>
      )}
    </>
  );
}

const isGone = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'transaction_not_found';

function PaidTo({
  statement: { payee, sent, payment },
}: {
  statement: Pick<Statement, 'payee' | 'sent' | 'payment'>;
}): ReactNode {
  return (
    <section>
      <h2>{t('Paid to')}</h2>
      <p className="fa-strong fa-lines">{payee.details || '—'}</p>
      {(sent !== null || payment.method !== 'manual') && (
        <p className="fa-faint">{methodText(sent?.method ?? payment.method)}</p>
      )}
    </section>
  );
}

/** The payee; as on the invoice if the program asks for invoice details. */
const Payee = ({ payee: { name, email, invoice } }: Pick<Statement, 'payee'>): ReactNode => (
  <>
    <p className="fa-strong">{invoice?.name || name}</p>
    {invoice?.address && <p className="fa-lines">{invoice.address}</p>}
    {invoice?.tax_number && (
      <p className="fa-faint">{t('Tax number {number}', { number: invoice.tax_number })}</p>
    )}
    <p className="fa-faint">{email}</p>
  </>
);

function Sheet({
  statement: { payment, payer, payee, commissions, sent },
  onPage,
}: {
  statement: Statement;
  onPage: (page: number) => void;
}): ReactNode {
  const pages = Math.ceil(commissions.total / commissions.per_page);
  return (
    <article className="fa-sheet">
      <header className="fa-sheet-head">
        <div>
          <p className="fa-faint">
            {t('Statement of payment {reference}', { reference: payment.reference })}
          </p>
          <p className="fa-sheet-sum">{money(payment.amount, payment.currency)}</p>
          <p className="fa-soft" data-hint={bothZones(payment.paid_at ?? (payment.created_at as string))}>
            {payment.paid_at === null
              ? t('made on {day}, on its way', { day: date(payment.created_at as string) })
              : t('made on {made}, paid on {paid}', {
                  made: date(payment.created_at as string),
                  paid: date(payment.paid_at),
                })}
          </p>
        </div>
        {boot().logo !== null && <img src={boot().logo ?? ''} alt="" height={32} />}
      </header>
      <div className="fa-parties">
        <section>
          <h2>{t('Payer')}</h2>
          <p className="fa-strong">{payer.name}</p>
          <p className="fa-faint">{payer.url.replace(/^https?:\/\//, '')}</p>
        </section>
        <section>
          <h2>{t('Payee')}</h2>
          <Payee payee={payee} />
        </section>
        <PaidTo statement={{ payee, sent, payment }} />
      </div>
      <table className="fa-table fa-sheet-table">
        <thead>
          <tr>
            <th scope="col">{t('Order')}</th>
            <th scope="col">{t('Earned on')}</th>
            <th scope="col" className="fa-end">
              {t('Commission')}
            </th>
          </tr>
        </thead>
        <tbody>
          {commissions.data.map((row) => (
            <tr key={row.id}>
              <td>
                <OrderName of={row} />
                {row.note !== '' && (
                  <span className="fa-faint fa-products" dir="auto">
                    {t('Note: {text}', { text: row.note })}
                  </span>
                )}
              </td>
              <td>
                <DateTime at={row.earned_at} day />
              </td>
              <td className="fa-end">
                <Money amount={row.amount} currency={row.currency} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <td>{tn('{count} commission', '{count} commissions', commissions.total)}</td>
            <td />
            <td className="fa-end">
              <strong>{money(payment.amount, payment.currency)}</strong>
            </td>
          </tr>
          {sent?.fee_by === 'affiliate' && sent.fee !== null && (
            <>
              <tr>
                <td>{t('Fee of {method}', { method: methodText(sent.method) })}</td>
                <td />
                <td className="fa-end">{money(-sent.fee, sent.fee_currency)}</td>
              </tr>
              <tr>
                <td>{t('Sent to you')}</td>
                <td />
                <td className="fa-end">
                  <strong>{money(sent.amount, sent.currency)}</strong>
                </td>
              </tr>
            </>
          )}
        </tfoot>
      </table>
      {pages > 1 && (
        <Pagination
          total={pages}
          value={commissions.current_page}
          onChange={onPage}
          getControlProps={(control) => ({ 'aria-label': control })}
        />
      )}
    </article>
  );
}
