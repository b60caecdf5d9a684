import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { confirmFirst } from '../../shared/confirm.js';
import { useRead, useWrite } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { AppLink, Facts, Panel } from '../../shared/parts.js';
import { t, tn } from '../../shared/texts.js';
import { answerText, type AffiliateView } from '../affiliates/view.js';
import { Website } from '../affiliates/website.js';
import { nameOf } from '../people.js';
import { GroupInput, RateInputs, sentRate } from '../terms-inputs.js';
import { ownRate, typedRate } from '../typed-rates.js';

/** The oldest applications; the next one opens after a decision. */
const OLDEST = { status: 'pending', order_by: 'id', order_type: 'ASC', per_page: 50 } as const;

/** The applicant's answers and the decision: group and rate for an approval, a reason for a rejection. */
export function Application({ affiliate }: { affiliate: AffiliateView }): ReactNode {
  const waiting = useRead('affiliates.list', { query: OLDEST });
  const others = (waiting.data?.affiliates.data ?? []).filter(({ id }) => id !== affiliate.id);
  const next = others.find(({ id }) => id > affiliate.id) ?? others[0];
  const nextHref = next === undefined ? null : `/affiliates/${next.id}`;
  const count = others.length === 0 ? 0 : (waiting.data?.affiliates.total ?? 1) - 1;
  return (
    <Panel
      title={t('Application')}
      about={count > 0 && tn('{count} more application waits.', '{count} more applications wait.', count)}
      actions={nextHref !== null && <AppLink href={nextHref}>{t('Next applicant')}</AppLink>}
    >
      <div className="fa-stack">
        <Answers affiliate={affiliate} />
        <Decision key={affiliate.id} affiliate={affiliate} nextHref={nextHref} />
      </div>
    </Panel>
  );
}

function Answers({ affiliate }: Props): ReactNode {
  const question = useQuestion();
  return (
    <Facts
      facts={[
        ...affiliate.custom_field_details.map(({ label, value }) => ({ label, value: answerText(value) })),
        affiliate.note !== null && affiliate.note !== '' && { label: question, value: affiliate.note },
        { label: t('Email'), value: affiliate.user?.user_email },
        { label: t('Website'), value: <Website of={affiliate} /> },
        { label: t('Payment email'), value: affiliate.payment_email },
        { label: t('Applied'), value: <DateTime at={affiliate.created_at} full /> },
      ]}
    />
  );
}

/** The sign-up form's label of the note. */
function useQuestion(): string {
  const { data, error } = useRead('registration.form');
  if (data === undefined) return error === null ? '…' : t('Note');
  const label = data.fields.find(({ name }) => name === 'note')?.label ?? '';
  if (label === 'How will you promote us?') return t('How will you promote us?');
  return label === '' ? t('Note') : label;
}

interface Props {
  readonly affiliate: AffiliateView;
}

function Decision({ affiliate, nextHref }: Props & { readonly nextHref: string | null }): ReactNode {
  const name = nameOf(affiliate);
  const approve = useWrite('affiliates.update', { quiet: true, done: t('{name} is approved', { name }) });
  const status = useWrite('affiliates.status', { quiet: true, done: t('{name} is rejected', { name }) });
  const [, go] = useLocation();
  const params = { id: affiliate.id };
  const goOn = (): void => go(nextHref ?? '/affiliates');
  const form = useForm(
    {
      group_id: affiliate.group_id === null ? '' : String(affiliate.group_id),
      rate_type: affiliate.rate_type,
      rate: typedRate(affiliate.rate, affiliate.rate_type),
    },
    async ({ group_id: group, ...rate }, changed) => {
      await approve.run({
        params,
        body: {
          status: 'active',
          ...('group_id' in changed && { group_id: group === '' ? null : Number(group) }),
          ...(('rate_type' in changed || 'rate' in changed) && sentRate(rate)),
        },
      });
      goOn();
    },
    undefined,
    { record: 'affiliates', figures: ownRate },
  );
  const reject = (): void =>
    confirmFirst({
      title: t('Reject {name}?', { name }),
      danger: true,
      text: t('The application is rejected. It can be approved later.'),
      yes: t('Reject'),
      reason: { label: t('Reason, sent to the applicant by mail') },
      run: async (reason) => {
        await status.run({ params, body: { status: 'inactive', ...(reason !== '' && { reason }) } });
        goOn();
      },
    });
  return (
    <FormFrame
      form={form}
      always
      yes={t('Approve')}
      more={
        <Button variant="default" onClick={reject}>
          {t('Reject')}
        </Button>
      }
    >
      <GroupInput form={form} />
      <RateInputs form={form} />
      <p className="fa-about">{t('The applicant gets a mail, and links count from then on.')}</p>
    </FormFrame>
  );
}
