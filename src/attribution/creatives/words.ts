// The words and shapes that the record of a creative is made of.

export const CREATIVE_TYPES = ['image', 'text', 'html', 'banner', 'qr_code'] as const;
export const CREATIVE_STATUSES = ['active', 'inactive', 'scheduled', 'expired'] as const;
export const PRIVACIES = ['public', 'private'] as const;

export type CreativeType = (typeof CREATIVE_TYPES)[number];
export type CreativeStatus = (typeof CREATIVE_STATUSES)[number];
export type Privacy = (typeof PRIVACIES)[number];

export type CreativeMeta = Readonly<Record<string, string | number | boolean>>;
