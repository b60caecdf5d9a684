import { Alert, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useBoot } from '../../shared/boot.js';
import { useRead, useWrite, type AnswerOf } from '../../shared/data.js';
import { money } from '../../shared/money.js';
import { Loaded, Facts } from '../../shared/parts.js';
import { number, t } from '../../shared/texts.js';
import { ConfirmForm, OtherAffiliateDialog } from '../other-affiliate.js';
import { nameOf } from '../people.js';
import type { AffiliateView } from './view.js';

type Preview = AnswerOf<'affiliates.merge_preview'>['merge'];

/** Two accounts of one person become one: chosen, looked at, confirmed by name. */
export const MergeDialog = ({ affiliate }: { affiliate: AffiliateView }): ReactNode => (
  <OtherAffiliateDialog
    title={t('Merge another account into {name}', { name: nameOf(affiliate) })}
    label={t('The other account of this person')}
    description={t(
      'Everything it has goes to this affiliate. The other account no longer exists afterwards.',
    )}
    except={affiliate.id}
  >
    {(other, close) => <Look id={String(affiliate.id)} other={other} onClose={close} />}
  </OtherAffiliateDialog>
);

function Look({ id, other, onClose }: { id: string; other: string; onClose: () => void }): ReactNode {
  // once the other account is gone there is nothing left to look at
  const [merging, setMerging] = useState(false);
  const input = { params: { id, other_id: other } };
  const reading = useRead('affiliates.merge_preview', input, { keep: false, enabled: !merging });
  return (
    <Loaded of={reading} lines={5}>
      {({ merge }) => <Confirm merge={merge} onMerging={setMerging} onClose={onClose} />}
    </Loaded>
  );
}

function Confirm({
  merge,
  onMerging,
  onClose,
}: {
  merge: Preview;
  onMerging: (is: boolean) => void;
  onClose: () => void;
}): ReactNode {
  const [typed, setTyped] = useState('');
  const write = useWrite('affiliates.merge', { quiet: true, done: t('The accounts are one now.') });
  const names = { kept: nameOf(merge.kept), other: nameOf(merge.merged) };
  if (merge.refusal !== null)
    return (
      <Alert color="yellow" title={t('These two cannot be merged now')}>
        {refusalText(merge.refusal)}
      </Alert>
    );
  const run = async (): Promise<void> => {
    await write.run({ params: { id: merge.kept.id }, body: { other_id: merge.merged.id } });
    onClose();
  };
  return (
    <ConfirmForm
      yes={t('Merge for good')}
      danger
      ready={typed.trim() === names.other}
      running={write.running}
      onRunning={onMerging}
      run={run}
      onClose={onClose}
    >
      <Consequences merge={merge} names={names} />
      <TextInput
        label={t('Type “{text}” to confirm', { text: names.other })}
        value={typed}
        autoComplete="off"
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </ConfirmForm>
  );
}

function Consequences({
  merge,
  names,
}: {
  merge: Preview;
  names: { readonly kept: string; readonly other: string };
}): ReactNode {
  const { siteName } = useBoot().program;
  const labels: Readonly<Record<Preview['moved'][number]['part'], string>> = {
    visits: t('Clicks'),
    referrals: t('Referrals'),
    customers: t('Customers'),
    payments: t('Payments'),
    coupons: t('Coupons'),
    links: t('Redirect links'),
    creatives: t('Creatives'),
  };
  return (
    <div className="fa-dialog-text">
      <p>{t('These go from {other} to {kept}:', names)}</p>
      <Facts
        facts={merge.moved
          .filter(({ count }) => count > 0)
          .map(({ part, count }) => ({ label: labels[part], value: number(count) }))}
      />
      <p>{t('Links of {other}, also earlier ones, credit {kept} from now on.', names)}</p>
      <p>{t('Status, rate, payment details and link name stay those of {kept}.', names)}</p>
      {merge.takes_group && <p>{t('{kept} joins the group of {other}.', names)}</p>}
      {merge.merged.user && (
        <p>
          {t('The user {user} of {site} has no affiliate account any more.', {
            user: merge.merged.user.user_login,
            site: siteName,
          })}
        </p>
      )}
      <Facts
        facts={[
          { label: t('Earned together'), value: money(merge.total_earnings) },
          { label: t('Unpaid together'), value: money(merge.unpaid_earnings) },
        ]}
      />
    </div>
  );
}

function refusalText({ code, message }: NonNullable<Preview['refusal']>): string {
  const texts: Readonly<Record<string, string>> = {
    merge_into_inactive: t(
      'The other account is active and this one is not. Approve this one first, or merge the other way round.',
    ),
    merge_payout_open: t('A payment to one of them is still open. Mark it as paid or take it back first.'),
    merge_import_running: t('An import is not finished. Let it come to its end first.'),
  };
  return texts[code] ?? message;
}
