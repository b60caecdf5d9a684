import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLocation, useParams } from 'wouter';
import { useOpenRecord } from '../../shared/address.js';
import { confirmFirst } from '../../shared/confirm.js';
import { useMay } from '../../shared/boot.js';
import { useRead, useWrite, type ResponseOf, type RowOf } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { List, type Column } from '../../shared/list.js';
import { money } from '../../shared/money.js';
import { UrlDialog } from '../../shared/url-dialog.js';
import { AppLink, Empty, Facts, PageHead, Panel, Person, Status } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { t, tn } from '../../shared/texts.js';
import { hostOf, pathOf } from '../affiliates/tabs.js';
import { AffiliateChooser, AffiliateOf, nameOf, recordFilters } from '../people.js';
import { earnedText, referralName } from '../referrals/name.js';

type Row = RowOf<'customers.list'>;
type View = ResponseOf<'customers.get'>;

const columns = (): readonly Column<Row>[] => [
  {
    key: 'who',
    label: t('Customer'),
    head: true,
    cell: (row) => (
      <Person
        name={row.full_name || row.email || `#${row.id}`}
        about={row.same_person_as === null ? (row.email ?? '') : t('Probably the same person')}
        href={`/customers/${row.id}`}
      />
    ),
  },
  {
    key: 'affiliate',
    label: t('Belongs to'),
    cell: (row) => <AffiliateOf of={row.affiliate} none={<span className="fa-faint">—</span>} />,
  },
  { key: 'referrals', label: t('Commissions'), of: 'referrals_count', kind: 'number' },
  { key: 'created', label: t('Since'), of: 'created_at' },
];

/** All customers who bought through an affiliate. */
export function Customers(): ReactNode {
  return (
    <>
      <PageHead
        title={t('Customers')}
        about={t('Customers who came through an affiliate, with the affiliate they belong to.')}
      />
      <List
        name="customers"
        operation="customers.list"
        record="customers"
        columns={columns()}
        href={(row) => `/customers/${row.id}`}
        search={t('Search name, email or order')}
        filters={recordFilters()}
        exportOf="customers.export"
        totals={(_answer, query) => <Totals query={query} />}
        empty={{
          title: t('No customers yet'),
          text: t('The first sale through an affiliate brings the first customer.'),
        }}
      />
    </>
  );
}

/** Order totals of the filtered customers. */
function Totals({ query }: { query: object }): ReactNode {
  const { data } = useRead('customers.totals', { query });
  return data?.totals.bought.map(({ currency, amount, order_total: orders }) => (
    <span key={currency}>{earnedText(amount, orders, currency)}</span>
  ));
}

export function Customer(): ReactNode {
  const { id } = useParams<{ id: string }>();
  return (
    <QueryView of="customers.get" input={{ params: { id } }} fresh page>
      {(view) => <Detail view={view} />}
    </QueryView>
  );
}

const kindOf = (kind: View['names'][number]['kind']): string =>
  ({
    email: t('Email'),
    user: t('Account'),
    provider: t('Account in the shop'),
    card: t('Payment method'),
  })[kind];

/** An order matched two customers: merge them or keep them separate. */
function SamePerson({ id, other }: { id: number; other: NonNullable<View['same_person']> }): ReactNode {
  const merge = useWrite('customers.merge', { quiet: true });
  const keepSeparate = useWrite('customers.keep_apart', { quiet: true });
  const [, go] = useLocation();
  const name = nameOfCustomer(other);
  const askMerge = (): void =>
    confirmFirst({
      title: t('Merge with {name}?', { name }),
      text: (
        <p>
          {t('Moves all orders and names to {name}. The customer stays with the first affiliate.', { name })}
        </p>
      ),
      yes: t('Merge'),
      run: async () => {
        await merge.run({ params: { id }, body: { into: other.id } });
        go(`/customers/${other.id}`);
      },
    });
  const askApart = (): void =>
    confirmFirst({
      title: t('Keep apart'),
      text: <p>{t('New orders won’t flag {name} again.', { name })}</p>,
      yes: t('Keep apart'),
      run: () => keepSeparate.run({ params: { id }, body: { from: other.id } }),
    });
  return (
    <Panel title={t('Probably the same person')}>
      <p>{t('One order matched both this customer and another.')}</p>
      <div className="fa-row">
        <AppLink href={`/customers/${other.id}`}>{name}</AppLink>
        <Button variant="default" onClick={askMerge}>
          {t('Merge')}
        </Button>
        <Button variant="default" onClick={askApart}>
          {t('Keep apart')}
        </Button>
      </div>
    </Panel>
  );
}

const nameOfCustomer = ({ id, full_name: name, email }: View['customer']): string =>
  name || email || `#${id}`;

function Names({ names }: { names: View['names'] }): ReactNode {
  return (
    <Panel title={t('Recognized by')}>
      {names.length === 0 ? (
        <Empty title={t('Nothing')} />
      ) : (
        <Facts
          facts={names.map(({ kind, name, since }) => ({
            label: kindOf(kind),
            value: name === '' ? <DateTime at={since} /> : name,
          }))}
        />
      )}
    </Panel>
  );
}

function Detail({ view }: { view: View }): ReactNode {
  const { customer, names, same_person: same, affiliate, referrals, visits } = view;
  const may = useMay('affiliates', 'write');
  const [, setOpened] = useOpenRecord();
  const forget = useWrite('customers.forget', { quiet: true });
  const [, go] = useLocation();
  const name = nameOfCustomer(customer);
  const askForget = (): void =>
    confirmFirst({
      title: t('Erase the data of {name}?', { name }),
      danger: true,
      type: customer.email ?? name,
      yes: t('Erase'),
      text: (
        <>
          <p>{t('Permanently erases name, email and addresses, also from pending shop events.')}</p>
          <p>
            {tn(
              '{count} commission stays without personal data.',
              '{count} commissions stay without personal data.',
              referrals.length,
            )}
          </p>
        </>
      ),
      run: async () => {
        await forget.run({ params: { id: customer.id } });
        go('/customers');
      },
    });
  return (
    <>
      <PageHead
        back={{ href: '/customers', label: t('Customers') }}
        title={name}
        about={customer.email ?? undefined}
        actions={
          may && (
            <>
              <Button variant="default" onClick={() => setOpened('move')}>
                {affiliate === null ? t('Link to an affiliate') : t('Move')}
              </Button>
              <Button variant="default" onClick={askForget}>
                {t('Erase')}
              </Button>
            </>
          )
        }
      />
      <div className="fa-split-wide">
        <div className="fa-stack">
          <Panel title={t('Orders')}>
            {referrals.length === 0 ? (
              <Empty title={t('No orders')} />
            ) : (
              <div className="fa-rows">
                {referrals.map((row) => (
                  <div key={row.id}>
                    <span className="fa-person-text">
                      <AppLink href={`/referrals/${row.id}`}>{referralName(row)}</AppLink>
                      <span className="fa-faint">
                        <DateTime at={row.created_at} />
                      </span>
                    </span>
                    <span className="fa-row">
                      <Status of={row.status} />
                      <span className="fa-number">{money(row.order_total, row.currency)}</span>
                    </span>
                  </div>
                ))}
              </div>
            )}
          </Panel>
          <Panel title={t('Clicks')}>
            {visits.length === 0 ? (
              <Empty title={t('No clicks')} />
            ) : (
              <div className="fa-rows">
                {visits.map((visit) => (
                  <div key={visit.id}>
                    <span className="fa-clip" dir="ltr">
                      {pathOf(visit.url)}
                    </span>
                    <span className="fa-faint">
                      {hostOf(visit.referrer)} · <DateTime at={visit.created_at} />
                    </span>
                  </div>
                ))}
              </div>
            )}
          </Panel>
        </div>
        <div className="fa-stack">
          {same && may && <SamePerson id={customer.id} other={same} />}
          <Panel title={t('Customer')}>
            <Facts
              facts={[
                { label: t('Name'), value: customer.full_name },
                { label: t('Email'), value: customer.email },
                {
                  label: t('Belongs to'),
                  value:
                    affiliate === null ? null : (
                      <AppLink href={`/affiliates/${affiliate.id}?tab=customers`}>
                        {nameOf(affiliate)}
                      </AppLink>
                    ),
                },
                { label: t('Since'), value: <DateTime at={customer.created_at} full /> },
              ]}
            />
          </Panel>
          <Names names={names} />
        </div>
      </div>
      <UrlDialog name="move" may={may} title={t('Move {name} to an affiliate', { name })}>
        {(close) => <MoveForm id={customer.id} onClose={close} />}
      </UrlDialog>
    </>
  );
}

function MoveForm({ id, onClose }: { id: number; onClose: () => void }): ReactNode {
  const link = useWrite('affiliates.link_customer', { quiet: true });
  const form = useForm(
    { affiliate: '' },
    async ({ affiliate }) => {
      await link.run({ params: { id: affiliate }, body: { customer_id: id, transfer: 'yes' } });
      onClose();
    },
    ({ affiliate }) => ({ ...(affiliate === '' && { affiliate: t('Choose an affiliate.') }) }),
  );
  return (
    <FormFrame form={form} yes={t('Move')} onCancel={onClose}>
      <p className="fa-soft">{t('New orders credit this affiliate. Earned commissions don’t move.')}</p>
      <AffiliateChooser label={t('Affiliate')} autoFocus {...form.field('affiliate')} />
    </FormFrame>
  );
}
