import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../shared/texts.js';

/** The parts managers can have rights to. */
export const partsOfRights = (): readonly { key: string; label: string }[] => [
  { key: 'affiliates', label: t('Affiliates') },
  { key: 'referrals', label: t('Commissions') },
  { key: 'visits', label: t('Clicks') },
  { key: 'payouts', label: t('Payouts') },
];

/** The rights to read and change. */
export function RightsGrid({
  permissions,
  error,
  onChange,
}: {
  permissions: readonly string[];
  error: ReactNode;
  onChange: (permissions: string[]) => void;
}): ReactNode {
  const has = (key: string): boolean => permissions.includes(key);
  const put = (key: string, on: boolean): void =>
    onChange(on ? [...permissions, key] : permissions.filter((other) => other !== key));
  const all = has('manage_all_data');
  return (
    <>
      <table className="fa-table">
        <thead>
          <tr>
            <th scope="col">{t('Part')}</th>
            <th scope="col" className="fa-grid-check">
              {t('Read')}
            </th>
            <th scope="col" className="fa-grid-check">
              {t('Change')}
            </th>
          </tr>
        </thead>
        <tbody>
          {partsOfRights().map(({ key, label }) => (
            <tr key={key}>
              <th scope="row">{label}</th>
              <td className="fa-grid-check">
                <Checkbox
                  display="inline-block"
                  aria-label={t('Read {part}', { part: label })}
                  checked={all || has(`read_all_${key}`) || has(`manage_all_${key}`)}
                  disabled={all || has(`manage_all_${key}`)}
                  onChange={(event) => put(`read_all_${key}`, event.currentTarget.checked)}
                />
              </td>
              <td className="fa-grid-check">
                {key !== 'visits' && (
                  <Checkbox
                    display="inline-block"
                    aria-label={t('Change {part}', { part: label })}
                    checked={all || has(`manage_all_${key}`)}
                    disabled={all}
                    onChange={(event) => put(`manage_all_${key}`, event.currentTarget.checked)}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Checkbox
        label={t('Invite people and write to affiliates')}
        checked={all || has('send_messages')}
        disabled={all}
        onChange={(event) => put('send_messages', event.currentTarget.checked)}
      />
      <Checkbox
        label={t('Everything, including settings if the site allows it')}
        checked={all}
        onChange={(event) => put('manage_all_data', event.currentTarget.checked)}
        error={error}
      />
    </>
  );
}
