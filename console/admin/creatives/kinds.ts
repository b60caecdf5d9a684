import type { RowOf } from '../../shared/data.js';
import { t } from '../../shared/texts.js';

export type Row = RowOf<'creatives.list'>;
export const TYPES = ['image', 'text', 'html', 'banner', 'qr_code'] as const;

export function kindText(type: string): string {
  const texts: Readonly<Record<string, string>> = {
    image: t('Picture'),
    text: t('Text link'),
    html: t('HTML'),
    banner: t('Banner'),
    qr_code: t('QR code'),
  };
  return texts[type] ?? type;
}
