import type { ReactNode } from 'react';
import { send } from '../../shared/boot.js';
import type { RowOf } from '../../shared/data.js';
import { FormFrame, useForm } from '../../shared/form.js';
import type { BulkDialogProps } from '../../shared/bulk.js';
import { t, tn } from '../../shared/texts.js';
import { GroupInput, RateInputs, sentRate, type RateType } from '../terms-inputs.js';
import { ownRate } from '../typed-rates.js';

type Props = BulkDialogProps<RowOf<'affiliates.list'>>;

const changeText = (count: number): string =>
  tn('Change {count} affiliate', 'Change {count} affiliates', count);

/** Moves the selected affiliates into a group, or removes them from theirs. */
export function GroupDialog({ rows, start, onClose }: Props): ReactNode {
  const form = useForm(
    { group_id: '' },
    ({ group_id: group }) =>
      start(({ id }) =>
        send('affiliates.update', {
          params: { id },
          body: { group_id: group === '' ? null : Number(group) },
        }),
      ),
    undefined,
    { creates: true },
  );
  return (
    <FormFrame form={form} always yes={changeText(rows.length)} onCancel={onClose}>
      <GroupInput form={form} />
    </FormFrame>
  );
}

/** Sets one rate for the selected affiliates. */
export function RateDialog({ rows, start, onClose }: Props): ReactNode {
  const form = useForm<{ rate_type: RateType; rate: string }>(
    { rate_type: 'default', rate: '' },
    (values) => start(({ id }) => send('affiliates.update', { params: { id }, body: sentRate(values) })),
    undefined,
    { creates: true, figures: ownRate },
  );
  return (
    <FormFrame form={form} always yes={changeText(rows.length)} onCancel={onClose}>
      <RateInputs form={form} />
      <p className="fa-about">{t('Applies to new orders. Earned commissions stay.')}</p>
    </FormFrame>
  );
}
