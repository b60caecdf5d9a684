import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { send } from '../../shared/boot.js';
import type { RowOf } from '../../shared/data.js';
import { figureText } from '../../shared/figures.js';
import { FormFrame, useForm } from '../../shared/form.js';
import type { BulkDialogProps } from '../../shared/bulk.js';
import { number, t, tn } from '../../shared/texts.js';
import { rateSource, rateText } from '../rates.js';
import { useGroups } from '../people.js';
import { RateInputs, sentRate, type RateType } from '../terms-inputs.js';
import { ownRate } from '../typed-rates.js';

type Props = BulkDialogProps<RowOf<'affiliates.list'>>;

const changeText = (count: number): string =>
  tn('Change {count} affiliate', 'Change {count} affiliates', count);

/** The texts of these affiliates, each with the number of affiliates: "10% (600) · 12% group (212)". */
function counted(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([text, count]) => `${text} (${number(count)})`)
    .join(' · ');
}

/** The choice that takes affiliates out of their group. */
const NO_GROUP = 'none';

const groupNow = ({ group }: Props['rows'][number]): string =>
  (group as { name?: string } | null)?.name ?? t('No group');

/** Moves the selected affiliates into a group, or removes them from theirs. */
export function GroupDialog({ rows, start, onClose }: Props): ReactNode {
  const groups = [{ value: NO_GROUP, label: t('No group') }, ...useGroups()];
  const nameOf = (group: string): string => groups.find(({ value }) => value === group)?.label ?? '';
  const form = useForm(
    { group_id: '' },
    ({ group_id: group }) =>
      start(
        ({ id }) =>
          send('affiliates.update', {
            params: { id },
            body: { group_id: group === NO_GROUP ? null : Number(group) },
          }),
        (count) =>
          group === NO_GROUP
            ? tn('{count} affiliate is in no group now', '{count} affiliates are in no group now', count)
            : tn('{count} affiliate moved to {group}', '{count} affiliates moved to {group}', count, {
                group: nameOf(group),
              }),
      ),
    ({ group_id: group }) => ({ ...(group === '' && { group_id: t('Choose a group.') }) }),
    {
      creates: true,
      asks: ({ group_id: group }) => ({
        changes: [
          {
            label: tn('Group of {count} affiliate', 'Group of {count} affiliates', rows.length),
            from: counted(rows.map(groupNow)),
            to: nameOf(group),
          },
        ],
      }),
    },
  );
  return (
    <FormFrame form={form} always yes={changeText(rows.length)} onCancel={onClose}>
      <Select
        label={t('Group')}
        data={groups}
        value={form.values.group_id || null}
        onChange={(group) => form.set({ group_id: group ?? '' })}
        error={form.field('group_id').error}
      />
    </FormFrame>
  );
}

const rateNow = ({ rate_details: rate, group }: Props['rows'][number]): string =>
  `${rateText(rate)} ${rateSource(rate, group)}`.trim();

/** Sets one rate for the selected affiliates. */
export function RateDialog({ rows, start, onClose }: Props): ReactNode {
  const form = useForm<{ rate_type: RateType; rate: string }>(
    { rate_type: 'default', rate: '' },
    (values) => start(({ id }) => send('affiliates.update', { params: { id }, body: sentRate(values) })),
    undefined,
    {
      creates: true,
      figures: ownRate,
      asks: (values) => ({
        changes: ownRate(values).map((figure) => ({
          label: tn('Rate of {count} affiliate', 'Rate of {count} affiliates', rows.length),
          from: counted(rows.map(rateNow)),
          to: figureText(figure),
        })),
      }),
    },
  );
  return (
    <FormFrame form={form} always yes={changeText(rows.length)} onCancel={onClose}>
      <RateInputs form={form} />
      <p className="fa-about">{t('Applies to new orders. Earned commissions stay.')}</p>
    </FormFrame>
  );
}
