import { Button, Modal, SegmentedControl, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useOpened } from '../../shared/address.js';
import { ask } from '../../shared/ask.js';
import { useRead, useWrite, type RowOf } from '../../shared/data.js';
import { When } from '../../shared/dates.js';
import { FormFrame, only, useForm } from '../../shared/form.js';
import { List, type Column } from '../../shared/list.js';
import { Loaded, Copy, PageHead, Status } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { AffiliateChooser, AffiliateLink, recordFilters } from '../people.js';

type Row = RowOf<'links.list'>;

export function Links(): ReactNode {
  const [open, setOpen] = useOpened();
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
    {
      key: 'target',
      label: t('Leads to'),
      cell: (row) => (
        <span className="fa-clip" title={row.target} dir="ltr">
          {row.target}
        </span>
      ),
    },
    { key: 'campaign', label: t('Campaign'), cell: (row) => row.utm_campaign || '—' },
    {
      key: 'created',
      label: t('Created'),
      end: true,
      of: 'created_at',
      cell: (row) => <When at={row.created_at} />,
    },
  ];
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setOpen('new')}>
      {t('New short link')}
    </Button>
  );
  const askDelete = (row: Row): void =>
    ask({
      title: t('Delete /{slug}?', { slug: row.slug }),
      danger: true,
      yes: t('Delete'),
      text: t('Whoever follows the link afterwards finds nothing. Clicks that were counted stay.'),
      run: async () => {
        await remove.run({ params: { id: row.id } });
        setOpen(null);
      },
    });
  return (
    <>
      <PageHead
        title={t('Redirect links')}
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
        rowKey={(row) => row.id}
        rowName={(row) => row.slug}
        onRow={(row) => setOpen(row.id)}
        filters={recordFilters()}
        empty={{
          title: t('No short links yet'),
          text: t('A short link is easier to say and to print than one with parameters.'),
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

function OpenLink({
  id,
  onDelete,
  onClose,
}: {
  id: string;
  onDelete: (link: Row) => void;
  onClose: () => void;
}): ReactNode {
  const reading = useRead('links.get', { params: { id } }, { keep: false });
  return (
    <Loaded of={reading}>
      {({ link }) => <LinkForm link={link} onDelete={() => onDelete(link)} onClose={onClose} />}
    </Loaded>
  );
}

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
        data={[
          { value: 'active', label: t('Active') },
          { value: 'inactive', label: t('Inactive') },
        ]}
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
