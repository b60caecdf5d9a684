import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { sendForFile } from '../../shared/boot.js';
import { useRead } from '../../shared/data.js';
import { saveFile } from '../../shared/download.js';
import { Problem } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { toast } from '../../shared/toast.js';

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

type Format = 'svg' | 'png';

/** Downloads: SVG for print, PNG for screens. */
export function QrDownloads({ link, name = 'qr-code' }: { link: string; name?: string }): ReactNode {
  const [running, setRunning] = useState<Format | null>(null);
  const save = async (format: Format): Promise<void> => {
    setRunning(format);
    try {
      const response = await sendForFile('portal.qr_code', {
        query: { url: link, format, ...(format === 'png' && { size: 1024 }) },
      });
      saveFile(await response.blob(), `${name}.${format}`);
    } catch (error) {
      toast.failed(error);
    } finally {
      setRunning(null);
    }
  };
  return (
    <div className="fa-row">
      {(['svg', 'png'] as const).map((format) => (
        <Button
          key={format}
          variant="default"
          size="compact-sm"
          loading={running === format}
          onClick={() => void save(format)}
        >
          {t('Save as {format}', { format: format.toUpperCase() })}
        </Button>
      ))}
    </div>
  );
}
