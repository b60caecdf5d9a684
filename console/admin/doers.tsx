import type { ReactNode } from 'react';
import { useRead, type RowOf } from '../shared/data.js';
import { t } from '../shared/texts.js';

/** What names the doer of a change. */
export type Done = Pick<RowOf<'audit.list'>, 'action' | 'actor_id' | 'api_key_id' | 'request_id'> & {
  readonly actor: { readonly display_name: string } | null;
};

/** Who made a change: the user, and the API key if one was used; without both, where the change came from. */
export const Doer = ({ of: entry }: { of: Done }): ReactNode => (
  <>
    {entry.actor?.display_name}
    {entry.api_key_id !== null && (
      <span className="fa-faint">
        {entry.actor !== null && ' · '}
        <KeyName id={entry.api_key_id} />
      </span>
    )}
    {entry.actor === null && entry.api_key_id === null && (
      <span className="fa-faint">{sourceText(entry)}</span>
    )}
  </>
);

function KeyName({ id }: { id: number }): ReactNode {
  const { data } = useRead('api_keys.list');
  const name = data?.api_keys.find((key) => key.id === id)?.name;
  return name === undefined ? t('a deleted API key') : t('API key {name}', { name });
}

/** Where a change without a user came from; the ID of the request names code, jobs and long operations. */
function sourceText({ action, actor_id: actor, request_id: request }: Done): string {
  if (actor !== null) return t('a deleted user');
  if (action.startsWith('import.') || request === 'job:imports') return t('an import');
  if (request === 'code') return t('the website');
  return /^(?:job|work):/.test(request ?? '') ? t('the program') : t('the shop or a visitor');
}
