import { ActionIcon, Button, Pagination, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconCode, IconDownload, IconSearch } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useAddress } from '../../shared/address.js';
import { boot } from '../../shared/boot.js';
import { useRead } from '../../shared/data.js';
import { bothZones, date } from '../../shared/dates.js';
import { lazyPart } from '../../shared/lazy-component.js';
import { Loaded, Empty, PageHead, Status } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { QrPicture } from '../links/qr.js';
import { CopyText } from './copy-text.js';
import type { Creative } from './creative.js';

// Loaded on first use.
const CodeDialog = lazyPart(() => import('./code-dialog.js'), 'CodeDialog');

const PER_PAGE = 24;
const NEW_MS = 21 * 86_400_000;

/** Creatives with the affiliate's link. */
export function Material(): ReactNode {
  const address = useAddress();
  const page = Math.max(1, Number(address.get('page', '1')) || 1);
  const search = address.get('q');
  const reading = useRead('portal.material', { query: { page, per_page: PER_PAGE, search } });
  const nothing = search === '' && !reading.isPlaceholderData && reading.data?.material.total === 0;
  const later = useDebouncedCallback((q: string) => address.set({ q, page: null }, { replace: true }), 300);
  return (
    <>
      <PageHead
        title={t('Creatives')}
        about={t('Pictures and texts to use as they are. Your link is in them already.')}
      />
      <div className="fa-stack">
        {!nothing && (
          <div className="fa-list-bar">
            <TextInput
              className="fa-search"
              type="search"
              data-search
              aria-label={t('Search creatives')}
              placeholder={t('Search creatives')}
              leftSection={<IconSearch size={15} />}
              defaultValue={search}
              onChange={(event) => later(event.currentTarget.value.trim())}
            />
          </div>
        )}
        <Loaded of={reading} lines={8}>
          {({ material }) =>
            material.total === 0 ? (
              <section className="fa-panel">
                <Empty
                  title={search === '' ? t('No creatives yet') : t('No matches')}
                  text={
                    search === ''
                      ? t('The program has no creatives yet. Your links work without them.')
                      : undefined
                  }
                  action={
                    nothing && (
                      <Button component={Link} href="/links" variant="default">
                        {t('Create a link')}
                      </Button>
                    )
                  }
                />
              </section>
            ) : (
              <>
                <ul className={reading.isPlaceholderData ? 'fa-material fa-stale' : 'fa-material'}>
                  {material.data.map((creative) => (
                    <Card key={creative.id} creative={creative} />
                  ))}
                </ul>
                {material.last_page > 1 && (
                  <Pagination
                    total={material.last_page}
                    value={page}
                    onChange={(next) => address.set({ page: next === 1 ? null : next })}
                    getControlProps={(control) => ({ 'aria-label': control })}
                  />
                )}
              </>
            )
          }
        </Loaded>
      </div>
    </>
  );
}

const typeText = (type: string): string =>
  (
    ({
      image: t('Picture'),
      banner: t('Banner'),
      text: t('Text'),
      html: t('HTML'),
      qr_code: t('QR code'),
    }) as Readonly<Record<string, string>>
  )[type] ?? type;

const isNew = ({ created_at: made }: Creative): boolean =>
  typeof made === 'string' && Date.now() - Date.parse(made) < NEW_MS;

function Card({ creative }: { creative: Creative }): ReactNode {
  const [open, setOpen] = useState(false);
  const { width, height } = { width: creative.meta['media_width'], height: creative.meta['media_height'] };
  return (
    <li className="fa-card">
      <div className="fa-card-stage">
        <Preview creative={creative} />
      </div>
      <div className="fa-card-body">
        <div className="fa-card-title">
          <h2>{creative.name}</h2>
          {isNew(creative) && <Status of="new" tone="blue" label={t('New')} />}
        </div>
        <p className="fa-faint" data-hint={bothZones(creative.updated_at as string)}>
          {[
            typeText(creative.type),
            width && height ? `${String(width)} × ${String(height)}` : '',
            date(creative.updated_at as string),
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
        {creative.description !== null && creative.description !== '' && (
          <p className="fa-soft">{creative.description}</p>
        )}
        <div className="fa-row fa-card-actions">
          <CopyText value={creative.type === 'text' ? textOf(creative) : creative.code}>
            {creative.type === 'text' ? t('Copy the text') : t('Copy the code')}
          </CopyText>
          <ActionIcon
            data-hint={t('Show the code')}
            onClick={() => setOpen(true)}
            aria-label={t('Show the code of {name}', { name: creative.name })}
          >
            <IconCode size={17} />
          </ActionIcon>
          {creative.image !== null && creative.image !== '' && (
            <ActionIcon
              data-hint={t('Save the picture')}
              component="a"
              href={creative.image}
              download
              aria-label={t('Save {name}', { name: creative.name })}
            >
              <IconDownload size={17} />
            </ActionIcon>
          )}
        </div>
      </div>
      {open && <CodeDialog creative={creative} onClose={() => setOpen(false)} />}
    </li>
  );
}

const textOf = (creative: Creative): string => [creative.text, creative.link].filter(Boolean).join('\n');

function Preview({ creative }: { creative: Creative }): ReactNode {
  if (creative.type === 'qr_code') return <QrPicture link={creative.url} size={150} />;
  if (creative.image !== null && creative.image !== '')
    return <img src={creative.image} alt={(creative.text as string) || creative.name} loading="lazy" />;
  if (creative.type === 'html')
    return (
      // Sandboxed without scripts, so that the program's HTML cannot access the portal.
      <iframe
        title={t('Preview of {name}', { name: creative.name })}
        sandbox=""
        srcDoc={`<!doctype html><html lang="${boot().locale}"><meta name="color-scheme" content="light"><body style="font-family:system-ui,sans-serif">${String(creative.text ?? '')}</body></html>`}
        tabIndex={-1}
      />
    );
  return <blockquote>{creative.text as string}</blockquote>;
}
