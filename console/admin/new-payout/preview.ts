import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { send } from '../../shared/boot.js';
import type { ResponseOf, InputOf } from '../../shared/data.js';

export type Preview = ResponseOf<'payouts.preview'>;
export type Config = NonNullable<NonNullable<InputOf<'payouts.preview'>['body']>['config']>;

export const previewKey = (config: Config): readonly unknown[] => ['payouts.preview', config];

/** Preview of a payout; null sends no request. */
export const usePreview = (config: Config | null): UseQueryResult<Preview> =>
  useQuery({
    queryKey: previewKey(config ?? ({} as Config)),
    queryFn: ({ signal }) => send('payouts.preview', { body: { config: config! } }, { signal }),
    enabled: config !== null,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  });
