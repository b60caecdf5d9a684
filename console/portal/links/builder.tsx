import { Button, Collapse, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAdjustmentsHorizontal, IconScissors } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useBoot } from '../../shared/boot.js';
import { ApiError, useRead, useWrite } from '../../shared/data.js';
import { useForm } from '../../shared/form.js';
import { Copy, Panel, Problem } from '../../shared/parts.js';
import { subIdName } from '../../shared/sub-ids.js';
import { t } from '../../shared/texts.js';
import { sentenceOf } from '../../shared/toast.js';
import { QrDownloads, QrPicture, useHasQr } from './qr.js';
import { Share } from './share.js';
import { optional } from '../../shared/optional.js';

interface Parts {
  readonly page: string;
  readonly campaign: string;
  readonly source: string;
  readonly medium: string;
  readonly sub1: string;
  readonly sub2: string;
}

/** The page URL with campaign fields and sub IDs; the server checks it and adds the affiliate. */
function addressOf({ page, campaign, source, medium, sub1, sub2 }: Parts, siteUrl: string): string {
  const url = URL.parse(page.trim() === '' ? '/' : page.trim(), `${siteUrl}/`);
  if (url === null) return page;
  for (const [name, value] of Object.entries({
    utm_campaign: campaign,
    utm_source: source,
    utm_medium: medium,
    sub1,
    sub2,
  }))
    if (value.trim() !== '') url.searchParams.set(name, value.trim());
  return url.href;
}

/** Builds links to any page of the site: with campaign, as short link and as QR code. */
export function Builder(): ReactNode {
  const { program } = useBoot();
  const [parts, setParts] = useState<Parts>({
    page: '',
    campaign: '',
    source: '',
    medium: '',
    sub1: '',
    sub2: '',
  });
  const hasQr = useHasQr();
  const [more, setMore] = useState(false);
  const [settled] = useDebouncedValue(parts, 250);
  const page = addressOf(settled, program.siteUrl);
  const reading = useRead('portal.links', { query: { url: page } });
  const wrong = reading.error instanceof ApiError ? reading.error : null;
  const link = wrong === null ? (reading.data?.link ?? '') : '';
  const text = (
    name: keyof Parts,
  ): { value: string; onChange: (event: { currentTarget: { value: string } }) => void } => ({
    value: parts[name],
    onChange: (event) => setParts({ ...parts, [name]: event.currentTarget.value }),
  });
  return (
    <Panel title={t('Create a link')}>
      <div className="fa-builder">
        <div className="fa-form">
          <TextInput
            {...text('page')}
            label={t('Page')}
            description={t('Copy the address of a page, or leave it empty for the first page.')}
            placeholder={`${program.siteUrl}/`}
            dir="ltr"
            inputMode="url"
            error={wrong === null ? undefined : wrongText(wrong)}
          />
          <TextInput
            {...text('campaign')}
            label={optional(t('Campaign'))}
            description={t('A name that distinguishes your links, such as newsletter or video-12.')}
            maxLength={100}
          />
          <div>
            <Button
              variant="subtle"
              size="compact-sm"
              color="gray"
              leftSection={<IconAdjustmentsHorizontal size={15} />}
              aria-expanded={more}
              onClick={() => setMore(!more)}
            >
              {t('Source, medium and sub IDs')}
            </Button>
            <Collapse expanded={more}>
              <div className="fa-two fa-more">
                <TextInput {...text('source')} label={t('Source')} placeholder="instagram" maxLength={100} />
                <TextInput {...text('medium')} label={t('Medium')} placeholder="story" maxLength={100} />
                <TextInput {...text('sub1')} label={subIdName('sub1')} maxLength={100} />
                <TextInput {...text('sub2')} label={subIdName('sub2')} maxLength={100} />
              </div>
            </Collapse>
          </div>
          <div className="fa-result" aria-live="polite">
            <span className="fa-result-label">{t('Your link')}</span>
            <div className="fa-yours-link">
              <code className="fa-yours-address" dir="ltr">
                {link === '' ? '…' : link.replace(/^https?:\/\//, '')}
              </code>
              {link !== '' && <Copy value={link} label={t('Copy link')} />}
            </div>
          </div>
          <div className="fa-row">
            <Share page={page} disabled={link === ''} />
            <Shorten page={page} campaign={settled.campaign} ready={link !== ''} />
          </div>
        </div>
        <div className="fa-builder-side">
          {link !== '' && hasQr && (
            <>
              <QrPicture link={page} size={200} />
              <QrDownloads link={page} />
            </>
          )}
        </div>
      </div>
    </Panel>
  );
}

const wrongText = (error: ApiError): string =>
  error.code === 'foreign_url'
    ? t('This page isn’t on the site. Orders there don’t count for you.')
    : sentenceOf(error).text;

/** Creates a short link, `/go/name`. */
function Shorten({ page, campaign, ready }: { page: string; campaign: string; ready: boolean }): ReactNode {
  const [open, setOpen] = useState(false);
  const create = useWrite('portal.create_redirect_link', { quiet: true, done: t('Short link created') });
  const form = useForm({ slug: '' }, async ({ slug }) => {
    await create.run({
      body: {
        ...(slug.trim() !== '' && { slug: slug.trim() }),
        url: page,
        ...(campaign.trim() !== '' && { utm_campaign: campaign.trim() }),
      },
    });
    form.reset({ slug: '' });
    setOpen(false);
  });
  if (!open)
    return (
      <Button
        variant="default"
        leftSection={<IconScissors size={16} />}
        disabled={!ready}
        onClick={() => setOpen(true)}
      >
        {t('Shorten')}
      </Button>
    );
  const taken = form.error instanceof ApiError && form.error.code === 'slug_taken';
  return (
    <form
      className="fa-shorten"
      onSubmit={(event) => {
        event.preventDefault();
        void form.submit();
      }}
    >
      <TextInput
        {...form.text('slug')}
        aria-label={t('Name of the short link')}
        leftSection={<span className="fa-faint">/go/</span>}
        leftSectionWidth={44}
        placeholder={t('any name')}
        dir="ltr"
        autoFocus
        error={taken ? t('This name is taken. Choose another one.') : form.text('slug').error}
      />
      <Button type="submit" loading={form.saving}>
        {t('Create')}
      </Button>
      <Button variant="subtle" color="gray" onClick={() => setOpen(false)}>
        {t('Cancel')}
      </Button>
      {form.error !== null && !taken && <Problem error={form.error} />}
    </form>
  );
}
