import { Alert, Autocomplete, Button, Modal, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { confirmFirst } from '../../shared/confirm.js';
import { useMay } from '../../shared/boot.js';
import { useRead, useWrite, type ResponseOf, type RowOf } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { List, type Column } from '../../shared/list.js';
import { NewButton, UrlDialog } from '../../shared/url-dialog.js';
import { AppLink, Empty, PageHead } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { t } from '../../shared/texts.js';
import { Doer, type Done } from '../doers.js';
import { AffiliateChooser, AffiliateLink, nameOf } from '../people.js';

type Row = RowOf<'coupons.list'>;
type Code = Pick<Row, 'provider' | 'code'>;
type Change = RowOf<'coupons.history'>;

/** Coupon codes that credit an affiliate, with or without a click. */
export function Coupons(): ReactNode {
  const may = useMay('affiliates', 'write');
  const [shown, setShown] = useState<Code | null>(null);
  const unbind = useWrite('coupons.unbind', { quiet: true });
  const askUnbind = ({ provider, code }: Code): void =>
    confirmFirst({
      title: t('Unassign {code}?', { code }),
      danger: true,
      yes: t('Unassign'),
      text: t('New orders with this coupon credit no affiliate. Earlier commissions stay.'),
      run: async () => {
        await unbind.run({ params: { provider, code } });
      },
    });
  const columns: readonly Column<Row>[] = [
    { key: 'code', label: t('Coupon'), head: true, cell: (row) => <span dir="ltr">{row.code}</span> },
    { key: 'provider', label: t('Shop'), cell: (row) => row.provider },
    { key: 'who', label: t('Affiliate'), cell: (row) => <AffiliateLink id={row.affiliate_id} /> },
    { key: 'created', label: t('Since'), cell: (row) => <DateTime at={row.created_at} /> },
    {
      key: 'actions',
      label: '',
      end: true,
      cell: (row) => (
        <span className="fa-row">
          <Button variant="subtle" size="compact-sm" onClick={() => setShown(row)}>
            {t('History')}
          </Button>
          {may && (
            <Button variant="subtle" color="red" size="compact-sm" onClick={() => askUnbind(row)}>
              {t('Unassign')}
            </Button>
          )}
        </span>
      ),
    },
  ];
  const create = may && <NewButton>{t('Assign a coupon')}</NewButton>;
  return (
    <>
      <PageHead
        title={t('Coupons')}
        about={t('Codes of your shop that credit an affiliate, with or without a click.')}
        actions={create}
      />
      <List
        name="coupons"
        operation="coupons.list"
        columns={columns}
        rowKey={(row) => `${row.provider} ${row.code}`}
        search={t('Search a code')}
        empty={{
          title: t('No coupons yet'),
          text: t('Create the code in your shop, then choose its affiliate here.'),
          action: create,
        }}
      />
      <UrlDialog name="new" title={t('Assign a coupon')}>
        {(close) => <BindForm onClose={close} />}
      </UrlDialog>
      <Modal opened={shown !== null} onClose={() => setShown(null)} title={shown?.code ?? ''}>
        {shown !== null && <Changes of={shown} />}
      </Modal>
    </>
  );
}

type Bound = ResponseOf<'coupons.bind'>;
type Shop = ResponseOf<'coupons.shops'>['shops'][number];

const folded = (name: string): string => name.trim().toLowerCase();

/** The shop that a person means by its name in orders or by its title. */
const shopNamed = (shops: readonly Shop[], typed: string): Shop | undefined =>
  shops.find(({ provider }) => folded(provider) === folded(typed)) ??
  shops.find(({ title }) => folded(title) === folded(typed));

function BindForm({ onClose }: { onClose: () => void }): ReactNode {
  const bind = useWrite('coupons.bind', { quiet: true });
  const known = useRead('coupons.shops').data?.shops;
  const [bound, setBound] = useState<Bound | null>(null);
  const form = useForm(
    { provider: '', code: '', affiliate: '' },
    async ({ provider, code, affiliate }) => {
      const shop = shopNamed(known ?? [], provider)?.provider ?? provider;
      const response = await bind.run({
        body: { provider: shop, code, affiliate_id: Number(affiliate) },
      });
      if (response.moved_from !== null || response.also_in.length > 0) setBound(response);
      else onClose();
    },
    ({ affiliate }) => ({ ...(affiliate === '' && { affiliate: t('Choose an affiliate.') }) }),
    { creates: true },
  );
  if (bound !== null) return <Assigned bound={bound} onClose={onClose} />;
  return (
    <FormFrame form={form} yes={t('Assign')} always onCancel={onClose}>
      <ShopInput shops={known} {...form.field('provider')} />
      <TextInput label={t('Coupon')} required {...form.text('code')} />
      <AffiliateChooser label={t('Affiliate')} required {...form.field('affiliate')} />
    </FormFrame>
  );
}

/** What a person has to know of a coupon that was assigned. */
const Assigned = ({
  bound: { moved_from, also_in },
  onClose,
}: {
  bound: Bound;
  onClose: () => void;
}): ReactNode => (
  <div className="fa-stack">
    {moved_from !== null && (
      <>
        <p>{t('This coupon belonged to another affiliate before:')}</p>
        <AppLink href={`/affiliates/${moved_from.id}`}>{nameOf(moved_from)}</AppLink>
      </>
    )}
    {also_in.length > 0 && (
      <p>
        {t('The affiliate also has this coupon in: {shops}. Unassign it there if that shop does not exist.', {
          shops: also_in.join(', '),
        })}
      </p>
    )}
    <Button onClick={onClose}>{t('Close')}</Button>
  </div>
);

/** Offers the known shops and takes others, with a warning: a coupon counts only in orders of its shop. */
function ShopInput({
  shops = [],
  ...field
}: {
  shops: readonly Shop[] | undefined;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
}): ReactNode {
  const shop = shopNamed(shops, field.value);
  return (
    <>
      <Autocomplete
        label={t('Shop')}
        description={t('As your orders name it. Choose one, or enter the name of a new shop.')}
        required
        data-autofocus
        openOnFocus={false}
        data={shops.map(({ provider }) => provider)}
        renderOption={({ option: { value } }) => {
          const title = shops.find(({ provider }) => provider === value)?.title ?? value;
          return title === value ? value : `${title} (${value})`;
        }}
        {...field}
      />
      {field.value.trim() !== '' && shop === undefined && (
        <Alert color="yellow" variant="light" role="status">
          {t(
            'No credited order and no integration has this name yet. The coupon earns only in orders of exactly this shop.',
          )}
        </Alert>
      )}
      {shop?.counts_coupons === false && (
        <Alert color="yellow" variant="light" role="status">
          {t('Orders of {shop} do not count coupons. Switch this on in the settings of the integration.', {
            shop: shop.title,
          })}
        </Alert>
      )}
    </>
  );
}

const doneOf = ({ actor, actor_id, api_key_id, request_id }: Change): Done => ({
  action: 'coupon',
  actor: actor === '' ? null : { display_name: actor },
  actor_id,
  api_key_id,
  request_id,
});

/** The previous affiliate of the code. */
const Changes = ({ of: { provider, code } }: { of: Code }): ReactNode => (
  <QueryView of="coupons.history" input={{ params: { provider, code } }} fresh>
    {({ changes }) =>
      changes.data.length === 0 ? (
        <Empty title={t('No changes')} />
      ) : (
        <div className="fa-rows">
          {changes.data.map((change) => (
            <div key={`${change.created_at} ${change.affiliate_id}`}>
              <span className="fa-row">
                <Owner id={change.from_affiliate_id} /> → <Owner id={change.affiliate_id} />
              </span>
              <span className="fa-faint">
                <Doer of={doneOf(change)} /> · <DateTime at={change.created_at} />
              </span>
            </div>
          ))}
        </div>
      )
    }
  </QueryView>
);

const Owner = ({ id }: { id: number | null }): ReactNode => (id === null ? '—' : <AffiliateLink id={id} />);
