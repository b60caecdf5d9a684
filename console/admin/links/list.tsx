import { Button, Modal, SegmentedControl, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOpenRecord } from '../../shared/address.js';
import { confirmFirst } from '../../shared/confirm.js';
import { useWrite, type RowOf } from '../../shared/data.js';
import { choicesOf } from '../../shared/filters.js';
import { FormFrame, only, useForm } from '../../shared/form.js';
import { List, type Column } from '../../shared/list.js';
import { NewButton } from '../../shared/url-dialog.js';
import { Copy, PageHead, Status, statusText, Clip } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { t } from '../../shared/texts.js';
import { AffiliateChooser, AffiliateLink, recordFilters } from '../people.js';

type Row = RowOf<'links.list'>;

export function Links(): ReactNode {
  const [open, setOpen] = useOpenRecord();
  const remove = useWrite('links.delete', { quiet: true });
  const columns: readonly Column<Row>[] = [
    {
      key: 'slug',
      label: t('Short link'),
      head: true,
      cell: (row) => (
        <span className="fa-row">
          <button type="button" className="fa-plain fa-strong" onClick={() => setOpen(row.id)}>
            /{row.slug}
          </button>{' '}
          <Copy value={row.link} label={t('Copy link')} />
        </span>
      ),
    },
    { key: 'status', label: t('Status'), cell: (row) => <Status of={row.status} /> },
    { key: 'who', label: t('Affiliate'), cell: (row) => <AffiliateLink id={row.affiliate_id} /> },
    { key: 'target', label: t('Leads to'), cell: (row) => <Clip whole={row.target} /> },
    { key: 'campaign', label: t('Campaign'), cell: (row) => row.utm_campaign || '—' },
    { key: 'created', label: t('Created'), end: true, of: 'created_at' },
  ];
  const create = <NewButton>{t('New short link')}</NewButton>;
  const askDelete = (row: Row): void =>
    confirmFirst({
      title: t('Delete /{slug}?', { slug: row.slug }),
      danger: true,
      yes: t('Delete'),
      text: t('The link stops working. Existing clicks are kept.'),
      run: async () => {
        await remove.run({ params: { id: row.id } });
        setOpen(null);
      },
    });
  return (
    <>
      <PageHead
        title={t('Short links')}
        about={t(
          'Short addresses of your own site that lead to a page and credit an affiliate: good for print, podcasts and profiles.',
        )}
        actions={create}
      />
      <List
        name="links"
        operation="links.list"
        exportOf="links.export"
        record="links"
        columns={columns}
        rowName={(row) => row.slug}
        onRow={(row) => setOpen(row.id)}
        filters={recordFilters()}
        empty={{
          title: t('No short links yet'),
          text: t('Short links are easier to say and to print than links with parameters.'),
          action: create,
        }}
      />
      <Modal
        opened={open !== ''}
        onClose={() => setOpen(null)}
        title={open === 'new' ? t('New short link') : t('Short link')}
      >
        {open === 'new' && <LinkForm onClose={() => setOpen(null)} />}
        {open !== '' && open !== 'new' && (
          <OpenLink id={open} onDelete={askDelete} onClose={() => setOpen(null)} />
        )}
      </Modal>
    </>
  );
}

const OpenLink = ({
  id,
  onDelete,
  onClose,
}: {
  id: string;
  onDelete: (link: Row) => void;
  onClose: () => void;
}): ReactNode => (
  <QueryView of="links.get" input={{ params: { id } }} fresh>
    {({ link }) => <LinkForm link={link} onDelete={() => onDelete(link)} onClose={onClose} />}
  </QueryView>
);

function LinkForm({
  link,
  onClose,
  onDelete,
}: {
  link?: Row;
  onClose: () => void;
  onDelete?: () => void;
}): ReactNode {
  const create = useWrite('links.create', { quiet: true });
  const update = useWrite('links.update', { quiet: true });
  const form = useForm(
    {
      affiliate_id: link ? String(link.affiliate_id) : '',
      slug: link?.slug ?? '',
      url: link?.url ?? '',
      utm_campaign: link?.utm_campaign ?? '',
      status: link?.status ?? ('active' as const),
    },
    async (values, changed) => {
      const texts = {
        url: values.url === '' ? null : values.url,
        utm_campaign: values.utm_campaign === '' ? null : values.utm_campaign,
        status: values.status,
      };
      const id = { affiliate_id: Number(values.affiliate_id) };
      const fields = { ...texts, ...id, ...((link || values.slug !== '') && { slug: values.slug }) };
      if (link) await update.run({ params: { id: link.id }, body: only(fields, changed) });
      else await create.run({ body: fields });
      onClose();
    },
    (values) => ({ ...(values.affiliate_id === '' && { affiliate_id: t('Choose an affiliate.') }) }),
  );
  return (
    <FormFrame form={form} yes={link ? t('Save') : t('Create link')} always={!link} onCancel={onClose}>
      <AffiliateChooser label={t('Affiliate')} required autoFocus {...form.field('affiliate_id')} />
      <TextInput label={t('Name')} description={t('Empty: a short random one')} {...form.text('slug')} />
      <TextInput
        label={t('Leads to')}
        description={t('A page of your site; empty: the home page')}
        type="url"
        {...form.text('url')}
      />
      <TextInput label={t('Campaign')} {...form.text('utm_campaign')} />
      <SegmentedControl
        aria-label={t('Status')}
        data={choicesOf(['active', 'inactive'], statusText)}
        value={form.values.status}
        onChange={(status) => form.set({ status: status })}
      />
      {onDelete && (
        <Button
          variant="subtle"
          color="red"
          size="compact-sm"
          style={{ justifySelf: 'start' }}
          onClick={onDelete}
        >
          {t('Delete this link')}
        </Button>
      )}
    </FormFrame>
  );
}
