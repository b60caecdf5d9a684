import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sendForFile } from '../../shared/boot.js';
import { useRead, useTask } from '../../shared/data.js';
import { saveFile } from '../../shared/download.js';
import { Problem } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';

/** Whether the program offers QR codes. */
export function useHasQr(): boolean {
  const { data } = useRead('portal.bootstrap', {});
  const settings = (data as { qr_code_settings?: { is_enabled?: string } } | undefined)?.qr_code_settings;
  return settings?.is_enabled === 'yes';
}

/** The QR code of a link, in the program's colors. */
export function QrPicture({ link, size = 220 }: { link: string; size?: number }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['qr', link],
    queryFn: async ({ signal }) =>
      (await sendForFile('portal.qr_code', { query: { url: link, format: 'svg' } }, { signal })).text(),
    staleTime: 600_000,
  });
  if (error !== null) return <Problem error={error} again={() => void refetch()} />;
  if (data === undefined) return <Skeleton width={size} height={size} radius={12} />;
  return (
    <img
      className="fa-qr"
      src={`data:image/svg+xml,${encodeURIComponent(data)}`}
      width={size}
      height={size}
      alt={t('QR code of {link}', { link })}
    />
  );
}

interface DownloadProps {
  readonly link: string;
  readonly name?: string;
}

/** Downloads: SVG for print, PNG for screens. */
export const QrDownloads = (props: DownloadProps): ReactNode => (
  <div className="fa-row">
    <QrDownload {...props} format="svg" />
    <QrDownload {...props} format="png" />
  </div>
);

function QrDownload({
  link,
  name = 'qr-code',
  format,
}: DownloadProps & { readonly format: 'svg' | 'png' }): ReactNode {
  const save = useTask(async () => {
    const query = { url: link, format, ...(format === 'png' && { size: 1024 }) };
    const response = await sendForFile('portal.qr_code', { query });
    saveFile(await response.blob(), `${name}.${format}`);
  });
  return (
    <Button variant="default" size="compact-sm" loading={save.running} onClick={() => save.start()}>
      {t('Save as {format}', { format: format.toUpperCase() })}
    </Button>
  );
}
