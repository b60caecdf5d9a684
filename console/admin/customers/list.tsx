import { Button, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLocation, useParams } from 'wouter';
import { useOpened } from '../../shared/address.js';
import { ask } from '../../shared/ask.js';
import { useMay } from '../../shared/boot.js';
import { useRead, useWrite, type AnswerOf, type RowOf } from '../../shared/data.js';
import { When } from '../../shared/dates.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { List, type Column } from '../../shared/list.js';
import { money } from '../../shared/money.js';
import { Loaded, AppLink, Empty, Facts, PageHead, Panel, Person, Status } from '../../shared/parts.js';
import { number, t, tn } from '../../shared/texts.js';
import { hostOf, pathOf } from '../affiliates/tabs.js';
import { AffiliateChooser, nameOf, recordFilters } from '../people.js';
import { referralName } from '../referrals/name.js';

type Row = RowOf<'customers.list'>;
type View = AnswerOf<'customers.get'>;

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
    cell: (row) =>
      row.affiliate ? (
        <AppLink href={`/affiliates/${row.affiliate.id}`}>{nameOf(row.affiliate)}</AppLink>
      ) : (
        <span className="fa-faint">—</span>
      ),
  },
  {
    key: 'referrals',
    label: t('Referrals'),
    end: true,
    cell: (row) => <span className="fa-number">{number(row.referrals_count)}</span>,
  },
  {
    key: 'created',
    label: t('Since'),
    of: 'created_at',
    cell: (row) => <When at={row.created_at} />,
  },
];

/** Everybody who bought through an affiliate. */
export function Customers(): ReactNode {
  return (
    <>
      <PageHead
        title={t('Customers')}
        about={t('Everybody who bought through an affiliate, and whose customer they are.')}
      />
      <List
        name="customers"
        operation="customers.list"
        record="customers"
        columns={columns()}
        rowKey={(row) => row.id}
        href={(row) => `/customers/${row.id}`}
        search={t('Search name, e-mail or order')}
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

/** What the filtered customers bought. */
function Totals({ query }: { query: object }): ReactNode {
  const { data } = useRead('customers.totals', { query });
  return data?.totals.bought.map(({ currency, amount, order_total: orders }) => (
    <span key={currency}>
      {t('{commissions} commission on {orders} of orders', {
        commissions: money(amount, currency),
        orders: money(orders, currency),
      })}
    </span>
  ));
}

export function Customer(): ReactNode {
  const { id } = useParams<{ id: string }>();
  const reading = useRead('customers.get', { params: { id } }, { keep: false });
  return (
    <Loaded page of={reading}>
      {(view) => <Detail view={view} />}
    </Loaded>
  );
}

const kindOf = (kind: View['names'][number]['kind']): string =>
  ({
    email: t('E-mail'),
    user: t('Account'),
    provider: t('Account in the shop'),
    card: t('Means of payment'),
  })[kind];

/** An order named this customer and another one; a person merges them or keeps them apart. */
function SamePerson({ id, other }: { id: number; other: NonNullable<View['same_person']> }): ReactNode {
  const merge = useWrite('customers.merge', { quiet: true });
  const apart = useWrite('customers.keep_apart', { quiet: true });
  const [, go] = useLocation();
  const name = nameOfCustomer(other);
  const askMerge = (): void =>
    ask({
      title: t('Merge with {name}?', { name }),
      text: (
        <p>
          {t(
            'Orders and names of both belong to {name} from now on. The affiliate who was first keeps the customer.',
            { name },
          )}
        </p>
      ),
      yes: t('Merge'),
      run: async () => {
        await merge.run({ params: { id }, body: { into: other.id } });
        go(`/customers/${other.id}`);
      },
    });
  const askApart = (): void =>
    ask({
      title: t('Keep apart'),
      text: <p>{t('Later orders do not mark {name} again.', { name })}</p>,
      yes: t('Keep apart'),
      run: () => apart.run({ params: { id }, body: { from: other.id } }),
    });
  return (
    <Panel title={t('Probably the same person')}>
      <p>{t('One order named this customer and another one.')}</p>
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
            value: name === '' ? <When at={since} /> : name,
          }))}
        />
      )}
    </Panel>
  );
}

function Detail({ view }: { view: View }): ReactNode {
  const { customer, names, same_person: same, affiliate, referrals, visits } = view;
  const may = useMay('affiliates', 'write');
  const [opened, setOpened] = useOpened();
  const moving = may && opened === 'move';
  const close = (): void => setOpened(null);
  const forget = useWrite('customers.forget', { quiet: true });
  const [, go] = useLocation();
  const name = nameOfCustomer(customer);
  const askForget = (): void =>
    ask({
      title: t('Forget {name}?', { name }),
      danger: true,
      type: customer.email ?? name,
      yes: t('Forget'),
      text: (
        <>
          <p>{t('Name, e-mail and addresses are removed for good, also from shop events that wait.')}</p>
          <p>
            {tn(
              '{count} commission stays, without a person.',
              '{count} commissions stay, without a person.',
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
                {t('Forget')}
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
                        <When at={row.created_at} />
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
                      {hostOf(visit.referrer)} · <When at={visit.created_at} />
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
                { label: t('E-mail'), value: customer.email },
                {
                  label: t('Belongs to'),
                  value:
                    affiliate === null ? null : (
                      <AppLink href={`/affiliates/${affiliate.id}?tab=customers`}>
                        {nameOf(affiliate)}
                      </AppLink>
                    ),
                },
                { label: t('Since'), value: <When at={customer.created_at} full /> },
              ]}
            />
          </Panel>
          <Names names={names} />
        </div>
      </div>
      <Modal opened={moving} onClose={close} title={t('Move {name} to an affiliate', { name })}>
        {moving && <MoveForm id={customer.id} onClose={close} />}
      </Modal>
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
      <p className="fa-soft">
        {t('Later orders belong to this affiliate. What was earned stays where it is.')}
      </p>
      <AffiliateChooser label={t('Affiliate')} autoFocus {...form.field('affiliate')} />
    </FormFrame>
  );
}
