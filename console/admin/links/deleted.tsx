import type { ReactNode } from 'react';
import { useBoot } from '../../shared/boot.js';
import { useRead } from '../../shared/data.js';
import { tn } from '../../shared/texts.js';

/** Short links that are deleted with their affiliate or creative. */
export function DeletedLinks({ of }: { of: { affiliate_id: number } | { creative_id: number } }): ReactNode {
  const enabled = useBoot().rights.administrator; // only administrators may read them
  const { data } = useRead('links.list', { query: { ...of, per_page: 1 } }, { enabled });
  const count = data?.links.total ?? 0;
  if (count === 0) return null;
  return (
    <li>{tn('{count} short link, which stops working', '{count} short links, which stop working', count)}</li>
  );
}
