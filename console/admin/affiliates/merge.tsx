import { Alert, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useBoot } from '../../shared/boot.js';
import { useRead, useWrite, type ResponseOf } from '../../shared/data.js';
import { money } from '../../shared/money.js';
import { Loaded, Facts } from '../../shared/parts.js';
import { number, t } from '../../shared/texts.js';
import { ConfirmForm, OtherAffiliateDialog } from '../other-affiliate.js';
import { nameOf } from '../people.js';
import type { AffiliateView } from './view.js';

type Preview = ResponseOf<'affiliates.merge_preview'>['merge'];

/** Merges two accounts of one person: choose, preview, confirm by typing the name. */
export const MergeDialog = ({ affiliate }: { affiliate: AffiliateView }): ReactNode => (
  <OtherAffiliateDialog
    title={t('Merge another account into {name}', { name: nameOf(affiliate) })}
    label={t('The other account of this person')}
    description={t('Moves all its data to this affiliate and deletes the other account.')}
    except={affiliate.id}
  >
    {(other, close) => <MergePreview id={String(affiliate.id)} other={other} onClose={close} />}
  </OtherAffiliateDialog>
);

function MergePreview({ id, other, onClose }: { id: string; other: string; onClose: () => void }): ReactNode {
  // the merged account no longer exists
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
  const write = useWrite('affiliates.merge', { quiet: true, done: t('The accounts were merged.') });
  const names = { kept: nameOf(merge.kept), other: nameOf(merge.merged) };
  if (merge.refusal !== null)
    return (
      <Alert color="yellow" title={t('These accounts can’t be merged now')}>
        {refusalText(merge.refusal)}
      </Alert>
    );
  const run = async (): Promise<void> => {
    await write.run({ params: { id: merge.kept.id }, body: { other_id: merge.merged.id } });
    onClose();
  };
  return (
    <ConfirmForm
      yes={t('Merge permanently')}
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
    referrals: t('Commissions'),
    customers: t('Customers'),
    payments: t('Payments'),
    coupons: t('Coupons'),
    links: t('Short links'),
    creatives: t('Creatives'),
  };
  return (
    <div className="fa-dialog-text">
      <p>{t('This moves from {other} to {kept}:', names)}</p>
      <Facts
        facts={merge.moved
          .filter(({ count }) => count > 0)
          .map(({ part, count }) => ({ label: labels[part], value: number(count) }))}
      />
      <p>{t('All links of {other} credit {kept} from now on.', names)}</p>
      <p>{t('{kept} keeps its status, rate, payment details and link name.', names)}</p>
      {merge.takes_group && <p>{t('{kept} joins the group of {other}.', names)}</p>}
      {merge.merged.user && (
        <p>
          {t('The user {user} of {site} no longer has an affiliate account.', {
            user: merge.merged.user.user_login,
            site: siteName,
          })}
        </p>
      )}
      <Facts
        facts={[
          { label: t('Total earned'), value: money(merge.total_earnings) },
          { label: t('Total unpaid'), value: money(merge.unpaid_earnings) },
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
    merge_payout_open: t('One of these accounts has an open payment. Mark it as paid or undo it first.'),
    merge_import_running: t('An import isn’t finished. Finish it first.'),
  };
  return texts[code] ?? message;
}
