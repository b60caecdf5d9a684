import { Button, Modal, Select, Textarea, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { send } from '../../shared/boot.js';
import { isConfirmed } from '../../shared/confirm.js';
import { useRead, useWrite, type ResponseOf, type InputOf } from '../../shared/data.js';
import { fieldsOf, FormFrame, useForm } from '../../shared/form.js';
import { AppLink, Facts } from '../../shared/parts.js';
import { htmlOf } from '../../shared/plain-html.js';
import { number, t, tn } from '../../shared/texts.js';
import { toast } from '../../shared/toast.js';
import { parseInput } from '../../shared/typed.js';
import { useInsert } from '../mails/insert.js';
import { nameOf, useGroups, useSearch } from '../people.js';
import { MailFrame } from '../settings/mail-frame.js';

const CODES = [
  '{{user.first_name}}',
  '{{affiliate.affiliate_link}}',
  '{{affiliate.unpaid_earning_formatted}}',
  '{{site.name}}',
];
const DAYS_MAX = 365;

interface Values {
  readonly subject: string;
  readonly body: string;
  readonly whom: string;
  readonly days: string;
}
type Message = NonNullable<InputOf<'messages.send'>['body']>;

const isDays = (typed: string): boolean => {
  const days = typed.trim() === '' ? 0 : Number(parseInput(typed, 'count', 0) ?? -1);
  return days >= 0 && days <= DAYS_MAX;
};

/** Empty: all active affiliates. */
function inputOf({ subject, body, whom, days }: Values, to: readonly number[]): Message {
  const audience = whom === 'chosen' ? { ids: [...to] } : whom === 'all' ? {} : { group_id: Number(whom) };
  const shown = isDays(days) ? Number(parseInput(days, 'count', 0) ?? 0) : 0;
  return { subject, body: htmlOf(body), audience, portal_days: shown };
}

/** Asks before mails to many people leave. */
const confirmSend = (recipients: number): Promise<boolean> =>
  isConfirmed({
    title: tn('Send to {count} affiliate?', 'Send to {count} affiliates?', recipients),
    text: t('The mails cannot be taken back. Affiliates who unsubscribed get none.'),
    yes: t('Send'),
  });

export const NewMessage = ({ to, onClose }: { to: readonly number[]; onClose: () => void }): ReactNode => (
  <Modal opened onClose={onClose} title={t('New message')} size="lg">
    <MessageForm to={to} onDone={onClose} />
  </Modal>
);

function MessageForm({ to, onDone }: { to: readonly number[]; onDone: () => void }): ReactNode {
  const write = useWrite('messages.send', { quiet: true });
  const test = useWrite('messages.test', { quiet: true });
  const groups = useGroups();
  const [seen, setSeen] = useState<ResponseOf<'messages.preview'> | null>(null);
  const whomText = (whom: string): string => {
    if (whom === 'chosen') return tn('{count} selected affiliate', '{count} selected affiliates', to.length);
    return groups.find(({ value }) => value === whom)?.label ?? t('all active affiliates');
  };
  const form = useForm<Values>(
    { subject: '', body: '', whom: to.length > 0 ? 'chosen' : 'all', days: '' },
    async (values) => {
      const message = inputOf(values, to);
      const { recipients } = await send('messages.preview', { body: message });
      if (!(await confirmSend(recipients))) return false;
      await write.run({ body: message });
      return onDone();
    },
    ({ days }) => (isDays(days) ? {} : { days: t('Write a whole number from 0 to 365, or leave it empty.') }),
    { creates: true },
  );
  const { values } = form;
  const body = inputOf(values, to);
  const [reader, setReader] = useState('');
  /** What the preview or the test refused; it counts until the next change. */
  const [refused, setRefused] = useState<{ readonly of: Values; readonly problem: unknown } | null>(null);
  const faults = refused?.of === values ? fieldsOf(refused.problem) : {};
  const attempt = (work: Promise<unknown>): void =>
    void work.catch((problem: unknown) => {
      setRefused({ of: values, problem });
      if (Object.keys(fieldsOf(problem)).length === 0) toast.failed(problem);
    });
  const look = (of = reader): void => {
    const example = of !== '' && { affiliate_id: Number(of) };
    attempt(send('messages.preview', { body: { ...body, ...example } }).then(setSeen));
  };
  const [box, insert] = useInsert(values.body, (text) => form.set({ body: text }));
  const textError = form.field('body').error ?? faults['body'];
  const looks = (
    <>
      <Button variant="default" onClick={() => look()}>
        {t('Preview')}
      </Button>
      <Button variant="default" loading={test.running} onClick={() => attempt(test.run({ body }))}>
        {t('Send me a test')}
      </Button>
    </>
  );
  return (
    <FormFrame form={form} always yes={t('Send')} onCancel={onDone} more={looks}>
      <Select
        label={t('To')}
        description={values.whom === 'chosen' ? <Names ids={to} /> : <HowToChoose />}
        data={[
          ...(to.length > 0 ? [{ value: 'chosen', label: whomText('chosen') }] : []),
          { value: 'all', label: whomText('all') },
          ...groups,
        ]}
        allowDeselect={false}
        {...form.choice('whom')}
        onChange={(whom) => {
          form.choice('whom').onChange(whom);
          setReader('');
          setSeen(null);
        }}
      />
      <TextInput
        label={t('Subject')}
        data-autofocus
        {...form.text('subject')}
        error={form.field('subject').error ?? faults['subject']}
      />
      <div>
        <Textarea
          ref={box}
          label={t('Text')}
          description={t('An empty line starts a paragraph.')}
          autosize
          minRows={6}
          maxRows={14}
          {...form.text('body')}
          error={textError}
        />
        <div className="fa-row" role="group" aria-label={t('Insert a code')}>
          {CODES.map((code) => (
            <Button key={code} variant="subtle" size="compact-sm" onClick={() => insert(code)}>
              <code dir="ltr">{code}</code>
            </Button>
          ))}
        </div>
      </div>
      <TextInput
        label={t('Days in the portal')}
        description={t('Empty: by mail only')}
        inputMode="numeric"
        {...form.text('days')}
      />
      {seen && (
        <div className="fa-mail">
          {seen.recipients > 1 && (
            <RecipientChooser
              whom={values.whom}
              to={to}
              value={reader}
              onChange={(id) => {
                setReader(id);
                look(id);
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

const HowToChoose = (): ReactNode => (
  <>
    {t('To write to some only, select or filter them in the list and choose “Write”:')}{' '}
    <AppLink href="/affiliates?status=active">{t('Affiliates')}</AppLink>
  </>
);

const OFFERED = 20;

/** Searches among the recipients. */
function RecipientChooser({
  whom,
  to,
  value,
  onChange,
}: {
  whom: string;
  to: readonly number[];
  value: string;
  onChange: (id: string) => void;
}): ReactNode {
  const { search, select } = useSearch();
  const isChosen = whom === 'chosen';
  const ofGroup = { group: { operator: '=' as const, value: whom } };
  const hasGroup = whom !== 'all' && !isChosen;
  const found = useRead('affiliates.list', {
    query: {
      search,
      status: 'active',
      per_page: isChosen ? 100 : OFFERED,
      ...(hasGroup && { filters: ofGroup }),
    },
  });
  const people = (found.data?.affiliates.data ?? []).filter(({ id }) => !isChosen || to.includes(id));
  return (
    <Select
      {...select}
      label={t('Preview for')}
      placeholder={t('Name, email or id')}
      data={people
        .slice(0, OFFERED)
        .map((of) => ({ value: String(of.id), label: `${nameOf(of)} #${of.id}` }))}
      value={value === '' ? null : value}
      onChange={(next) => onChange(next ?? '')}
      nothingFoundMessage={found.isFetching ? t('Searching…') : t('No matches')}
    />
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
