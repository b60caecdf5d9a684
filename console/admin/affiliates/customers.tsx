import { Button, Select, Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOpenRecord } from '../../shared/address.js';
import { useMay } from '../../shared/boot.js';
import { RowButton } from '../../shared/buttons.js';
import { useRead, useWrite, type RowOf } from '../../shared/data.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { List, type Column } from '../../shared/list.js';
import { UrlDialog } from '../../shared/url-dialog.js';
import { Person } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { useSearch } from '../people.js';

type Row = RowOf<'affiliates.customers'>;

/** Customers linked to an affiliate for lifetime commissions, with buttons to link and unlink them. */
export function AffiliateCustomers({ id }: { id: string }): ReactNode {
  const may = useMay('affiliates', 'write');
  const unlink = useWrite('affiliates.unlink_customer', { quiet: true });
  const [, setOpened] = useOpenRecord();
  const columns: readonly Column<Row>[] = [
    {
      key: 'who',
      label: t('Customer'),
      head: true,
      cell: (row) => <Person name={row.full_name || row.email || `#${row.id}`} about={row.email ?? ''} />,
    },
    { key: 'referrals', label: t('Commissions'), of: 'referrals_count', kind: 'number' },
    { key: 'created', label: t('Since'), of: 'created_at' },
    ...(may
      ? [
          {
            key: 'take',
            label: '',
            end: true,
            cell: (row: Row) => (
              <RowButton
                quiet
                question={{
                  title: t('Unlink this customer?'),
                  danger: true,
                  yes: t('Unlink'),
                  text: t('New orders of {name} no longer credit this affiliate. Earned commissions stay.', {
                    name: row.full_name || row.email || '',
                  }),
                  run: () => unlink.run({ params: { id, customer_id: row.id } }),
                }}
              >
                {t('Unlink')}
              </RowButton>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <List
        name="affiliate-customers"
        operation="affiliates.customers"
        record="customers"
        input={{ params: { id } }}
        columns={columns}
        search={t('Search name or email')}
        tools={
          may && (
            <Button variant="default" onClick={() => setOpened('link')}>
              {t('Link a customer')}
            </Button>
          )
        }
        empty={{
          title: t('No customers yet'),
          text: t('Customers who belong to this affiliate appear here.'),
        }}
      />
      <UrlDialog name="link" may={may} title={t('Link a customer')}>
        {(close) => <LinkForm id={id} onClose={close} />}
      </UrlDialog>
    </>
  );
}

function LinkForm({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const link = useWrite('affiliates.link_customer', { quiet: true });
  const { search, select } = useSearch();
  const found = useRead('affiliates.search_customers', { params: { id }, query: { search } });
  const form = useForm({ customer_id: '', transfer: 'no' }, async (values) => {
    await link.run({
      params: { id },
      body: { customer_id: Number(values.customer_id), transfer: values.transfer as 'yes' | 'no' },
    });
    onClose();
  });
  return (
    <FormFrame form={form} yes={t('Link customer')} onCancel={onClose}>
      <Select
        {...select}
        label={t('Customer')}
        data-autofocus
        openOnFocus={false}
        data={(found.data?.customers ?? []).map((customer) => ({
          value: String(customer.id),
          label: `${customer.full_name} ${customer.email ?? ''}`.trim(),
        }))}
        placeholder={t('Name or email')}
        nothingFoundMessage={t('No matches')}
        value={form.values.customer_id || null}
        onChange={(value) => form.set({ customer_id: value ?? '' })}
        error={form.field('customer_id').error}
      />
      <Switch label={t('Move the customer from another affiliate if needed')} {...form.flag('transfer')} />
    </FormFrame>
  );
}
