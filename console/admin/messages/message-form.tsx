import { Button, Select, Textarea, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { send } from '../../shared/boot.js';
import { useRead, useWrite, type ResponseOf, type InputOf } from '../../shared/data.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { Facts } from '../../shared/parts.js';
import { htmlOf } from '../../shared/plain-html.js';
import { number, t, tn } from '../../shared/texts.js';
import { toast } from '../../shared/toast.js';
import { AffiliateChooser, useGroups } from '../people.js';
import { MailFrame } from '../settings/mail-frame.js';

const CODES =
  '{{user.first_name}} {{affiliate.affiliate_link}} {{affiliate.unpaid_earning_formatted}} {{site.name}}';

interface Values {
  readonly subject: string;
  readonly body: string;
  readonly whom: string;
  readonly days: string;
}

/** Empty: all active affiliates. */
function inputOf(
  { subject, body, whom, days }: Values,
  to: readonly number[],
): InputOf<'messages.send'>['body'] {
  const audience = whom === 'chosen' ? { ids: [...to] } : whom === 'all' ? {} : { group_id: Number(whom) };
  return { subject, body: htmlOf(body), audience, portal_days: Number(days) || 0 };
}

export function MessageForm({ to, onDone }: { to: readonly number[]; onDone: () => void }): ReactNode {
  const write = useWrite('messages.send', { quiet: true });
  const test = useWrite('messages.test');
  const groups = useGroups();
  const [seen, setSeen] = useState<ResponseOf<'messages.preview'> | null>(null);
  const whomText = (whom: string): string => {
    if (whom === 'chosen') return tn('{count} selected affiliate', '{count} selected affiliates', to.length);
    return groups.find(({ value }) => value === whom)?.label ?? t('all active affiliates');
  };
  const form = useForm<Values>(
    { subject: '', body: '', whom: to.length > 0 ? 'chosen' : 'all', days: '' },
    async (values) => {
      await write.run({ body: inputOf(values, to) });
      onDone();
    },
    undefined,
    { creates: true },
  );
  const body = inputOf(form.values, to);
  const [reader, setReader] = useState('');
  const look = (of = reader): Promise<void> =>
    send('messages.preview', { body: { ...body, ...(of !== '' && { affiliate_id: Number(of) }) } }).then(
      setSeen,
      (error: unknown) => toast.failed(error),
    );
  const looks = (
    <>
      <Button variant="default" onClick={() => void look()}>
        {t('Preview')}
      </Button>
      <Button variant="default" loading={test.running} onClick={() => test.press({ body })}>
        {t('Send me a test')}
      </Button>
    </>
  );
  return (
    <FormFrame form={form} always yes={t('Send')} onCancel={onDone} more={looks}>
      <Select
        label={t('To')}
        description={form.values.whom === 'chosen' ? <Names ids={to} /> : undefined}
        data={[
          ...(to.length > 0 ? [{ value: 'chosen', label: whomText('chosen') }] : []),
          { value: 'all', label: whomText('all') },
          ...groups,
        ]}
        allowDeselect={false}
        {...form.choice('whom')}
      />
      <TextInput label={t('Subject')} data-autofocus {...form.text('subject')} />
      <Textarea
        label={t('Text')}
        description={t('An empty line starts a paragraph. You can use these codes: {codes}', {
          codes: CODES,
        })}
        autosize
        minRows={6}
        maxRows={14}
        {...form.text('body')}
      />
      <TextInput
        label={t('Days in the portal')}
        description={t('Empty: by mail only')}
        inputMode="numeric"
        {...form.text('days')}
      />
      {seen && (
        <div className="fa-mail">
          {seen.recipients > 1 && (
            <AffiliateChooser
              label={t('Preview for')}
              value={reader}
              onChange={(id) => {
                setReader(id);
                void look(id);
              }}
            />
          )}
          <Facts
            facts={[
              { label: t('To'), value: seen.to },
              { label: t('Subject'), value: seen.subject },
              { label: t('Recipients'), value: number(seen.recipients) },
            ]}
          />
          <MailFrame html={seen.html} />
        </div>
      )}
    </FormFrame>
  );
}

const NAMED = 20;

function Names({ ids }: { ids: readonly number[] }): ReactNode {
  const { data } = useRead('settings.affiliate_options', { query: { include_ids: ids.slice(0, NAMED) } });
  const more = ids.length - NAMED;
  const names = (data?.affiliates ?? [])
    .filter(({ id }) => ids.includes(Number(id)))
    .map(({ full_name: name }) => name)
    .join(', ');
  return more > 0 ? tn('{names} and {count} more', '{names} and {count} others', more, { names }) : names;
}
