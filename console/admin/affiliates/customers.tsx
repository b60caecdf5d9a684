import { Button, Modal, Select, Switch } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { useOpened } from '../../shared/address.js';
import { ask } from '../../shared/ask.js';
import { useMay } from '../../shared/boot.js';
import { useRead, useWrite, type RowOf } from '../../shared/data.js';
import { When } from '../../shared/dates.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { List, type Column } from '../../shared/list.js';
import { Person } from '../../shared/parts.js';
import { number, t } from '../../shared/texts.js';

type Row = RowOf<'affiliates.customers'>;

/** Buyers who belong to an affiliate for life; they can be given and taken away. */
export function AffiliateCustomers({ id }: { id: string }): ReactNode {
  const may = useMay('affiliates', 'write');
  const unlink = useWrite('affiliates.unlink_customer', { quiet: true });
  const [opened, setOpened] = useOpened();
  const linking = may && opened === 'link';
  const close = (): void => setOpened(null);
  const columns: readonly Column<Row>[] = [
    {
      key: 'who',
      label: t('Customer'),
      head: true,
      cell: (row) => <Person name={row.full_name || row.email || `#${row.id}`} about={row.email ?? ''} />,
    },
    { key: 'referrals', label: t('Referrals'), end: true, cell: (row) => number(row.referrals_count) },
    {
      key: 'created',
      label: t('Since'),
      of: 'created_at',
      cell: (row) => <When at={row.created_at} />,
    },
    ...(may
      ? [
          {
            key: 'take',
            label: '',
            end: true,
            cell: (row: Row) => (
              <Button
                size="compact-xs"
                variant="subtle"
                color="gray"
                onClick={() =>
                  ask({
                    title: t('Take this customer away?'),
                    danger: true,
                    yes: t('Take away'),
                    text: t(
                      'Later orders of {name} no longer belong to this affiliate. What was earned stays.',
                      { name: row.full_name || row.email || '' },
                    ),
                    run: () => unlink.run({ params: { id, customer_id: row.id } }),
                  })
                }
              >
                {t('Take away')}
              </Button>
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
        rowKey={(row) => row.id}
        search={t('Search name or e-mail')}
        tools={
          may && (
            <Button variant="default" onClick={() => setOpened('link')}>
              {t('Link a customer')}
            </Button>
          )
        }
        empty={{
          title: t('No customers yet'),
          text: t('Buyers who came through this affiliate and stay with it are listed here.'),
        }}
      />
      <Modal opened={linking} onClose={close} title={t('Link a customer')}>
        {linking && <LinkForm id={id} onClose={close} />}
      </Modal>
    </>
  );
}

function LinkForm({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const link = useWrite('affiliates.link_customer', { quiet: true });
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text, 200);
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
        label={t('Customer')}
        searchable
        data-autofocus
        openOnFocus={false}
        data={(found.data?.customers ?? []).map((customer) => ({
          value: String(customer.id),
          label: `${customer.full_name} ${customer.email ?? ''}`.trim(),
        }))}
        searchValue={text}
        onSearchChange={setText}
        filter={({ options }) => options}
        placeholder={t('Name or e-mail')}
        nothingFoundMessage={t('Nothing matches')}
        value={form.values.customer_id || null}
        onChange={(value) => form.set({ customer_id: value ?? '' })}
        error={form.field('customer_id').error}
      />
      <Switch label={t('Take the customer from another affiliate if needed')} {...form.flag('transfer')} />
    </FormFrame>
  );
}
