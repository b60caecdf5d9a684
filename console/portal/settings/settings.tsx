import { Checkbox, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useBoot } from '../../shared/boot.js';
import { ownFacts } from '../../shared/columns.js';
import { useRead, useWrite, type ResponseOf } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { choicesIn } from '../../shared/filters.js';
import { FieldGroup, FormFrame, only, useForm } from '../../shared/form.js';
import { lazyComponent, lazyPart } from '../../shared/lazy-component.js';
import { AddressTabs, Copyable, Facts, PageHead, Panel } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { t } from '../../shared/texts.js';
import { SignupInput } from '../../shared/signup-input.js';
import { answerFigures, typedAnswer } from '../entrance/signup-form.js';
import { optional } from '../../shared/optional.js';

// Loaded if the program offers several methods.
const Invoice = lazyPart(() => import('./invoice.js'), 'Invoice');
const PayoutMethods = lazyPart(() => import('./payout-methods.js'), 'PayoutMethods');

const OwnData = lazyComponent(() => import('./own-data.js'), 'OwnData');

export const Settings = (): ReactNode => (
  <>
    <PageHead title={t('Settings')} about={t('Your payment details, profile and notifications.')} />
    <AddressTabs
      tabs={[
        { key: 'payment', label: t('Payment details'), content: () => <PaymentDetails /> },
        { key: 'link', label: t('Link name'), content: () => <LinkName /> },
        { key: 'profile', label: t('Profile'), content: () => <Profile /> },
        { key: 'mails', label: t('Mails'), content: () => <Notifications /> },
        { key: 'data', label: t('Your data'), content: () => <OwnData /> },
      ]}
    />
  </>
);

const PaymentDetails = (): ReactNode => (
  <div className="fa-stack">
    <QueryView of="portal.payment_details" lines={6}>
      {(details) => (details.method === 'paypal' ? <PayPal details={details} /> : <Bank details={details} />)}
    </QueryView>
    <InvoicePanel />
    <Offered />
  </div>
);

/** Shown only if there is something to choose or check. */
function Offered(): ReactNode {
  const { data } = useRead('portal.payout_methods', {});
  if (data === undefined || data.methods.length === 0) return null;
  return <PayoutMethods />;
}

/** Shown only if the program asks for it. */
function InvoicePanel(): ReactNode {
  const { data } = useRead('portal.invoice_details', {});
  if (data?.asked !== true) return null;
  return <Invoice details={data.details} />;
}

type Details = ResponseOf<'portal.payment_details'>;

const MailPanel = (): ReactNode => {
  const { user } = useBoot();
  return (
    <p className="fa-about">
      {t('When this changes, we notify you at {email} and at the old address.', {
        email: user?.email ?? '',
      })}
    </p>
  );
};

function PayPal({ details }: { details: Details }): ReactNode {
  const save = useWrite('portal.save_payment_details', { quiet: true, done: t('Payment details saved') });
  const form = useForm({ payment_email: details.details.payment_email ?? '' }, (values) =>
    save.run({ body: values }),
  );
  return (
    <Panel>
      <FormFrame form={form}>
        <FieldGroup title={t('PayPal')} about={<MailPanel />}>
          <TextInput
            {...form.text('payment_email')}
            label={t('Email of your PayPal account')}
            type="email"
            autoComplete="email"
            dir="ltr"
          />
        </FieldGroup>
      </FormFrame>
    </Panel>
  );
}

const EMPTY = { account_holder: '', iban: '', bic: '', bank_name: '', other_details: '' };

function Bank({ details: { details } }: { details: Details }): ReactNode {
  const save = useWrite('portal.save_payment_details', { quiet: true, done: t('Payment details saved') });
  const known = { ...EMPTY, ...details };
  const [kind, setKind] = useState(known.other_details !== '' && known.iban === '' ? 'other' : 'iban');
  const form = useForm({ ...known, iban: grouped(known.iban) }, (values) =>
    save.run({ body: kind === 'iban' ? { ...values, other_details: '' } : { ...values, iban: '', bic: '' } }),
  );
  return (
    <Panel>
      <FormFrame form={form}>
        <FieldGroup title={t('Bank transfer')} about={<MailPanel />}>
          <TextInput {...form.text('account_holder')} label={t('Account holder')} autoComplete="name" />
          <SegmentedControl
            aria-label={t('Account type')}
            value={kind}
            onChange={setKind}
            data={choicesIn({ iban: t('With IBAN'), other: t('Without IBAN') })}
          />
          {kind === 'iban' ? (
            <>
              <TextInput
                {...form.text('iban')}
                label={t('IBAN')}
                dir="ltr"
                autoComplete="off"
                spellCheck={false}
                placeholder="DE89 3704 0044 0532 0130 00"
                onBlur={() =>
                  form.values.iban !== grouped(form.values.iban) &&
                  form.set({ iban: grouped(form.values.iban) })
                }
              />
              <div className="fa-two">
                <TextInput {...form.text('bic')} label={optional(t('BIC'))} dir="ltr" autoComplete="off" />
                <TextInput {...form.text('bank_name')} label={optional(t('Bank'))} />
              </div>
            </>
          ) : (
            <Textarea
              {...form.text('other_details')}
              label={t('Account')}
              description={t('Account number, routing number or sort code, name and address of the bank.')}
              error={form.text('other_details').error ?? form.text('iban').error}
              autosize
              minRows={4}
            />
          )}
        </FieldGroup>
      </FormFrame>
    </Panel>
  );
}

/** An IBAN in groups of four, as on cards. */
const grouped = (iban: string): string =>
  iban
    .replaceAll(/\s+/g, '')
    .toUpperCase()
    .replaceAll(/(.{4})(?=.)/g, '$1 ');

const LinkName = (): ReactNode => (
  <QueryView of="portal.link_name">
    {(answer) =>
      answer.enabled ? (
        <LinkNameForm answer={answer} />
      ) : (
        <Panel title={t('Your link')}>
          <div className="fa-stack">
            <Copyable value={answer.link} />
            <p className="fa-about">{t('This program sets the names in the links.')}</p>
          </div>
        </Panel>
      )
    }
  </QueryView>
);

function LinkNameForm({ answer }: { answer: ResponseOf<'portal.link_name'> }): ReactNode {
  const { program } = useBoot();
  const save = useWrite('portal.save_link_name', { quiet: true, done: t('Link name saved') });
  const form = useForm({ custom_param: answer.name ?? '' }, ({ custom_param: name }) =>
    save.run({ body: { name: name.trim() === '' ? null : name.trim() } }),
  );
  return (
    <Panel>
      <FormFrame form={form}>
        <FieldGroup
          title={t('Link name')}
          about={t('It is at the end of your links. Links with earlier names continue to work.')}
        >
          <TextInput
            {...form.text('custom_param')}
            label={t('Name')}
            description={t('Letters, digits, - and _. Leave it empty for the default.')}
            leftSection={<span className="fa-faint">{program.referralVariable}=</span>}
            leftSectionWidth={program.referralVariable.length * 8 + 28}
            dir="ltr"
            autoComplete="off"
            maxLength={100}
          />
          <div>
            <span className="fa-result-label">{t('Your link')}</span>
            <Copyable value={answer.link} />
          </div>
        </FieldGroup>
      </FormFrame>
    </Panel>
  );
}

function Profile(): ReactNode {
  return <QueryView of="portal.profile">{(profile) => <ProfileForm profile={profile} />}</QueryView>;
}

function ProfileForm({ profile }: { profile: ResponseOf<'portal.profile'> }): ReactNode {
  const { program } = useBoot();
  const save = useWrite('portal.save_profile', { quiet: true, done: t('Profile saved') });
  const fields = profile.custom_fields;
  const form = useForm<Record<string, unknown>>(
    {
      first_name: profile.first_name,
      last_name: profile.last_name,
      url: profile.url,
      ...Object.fromEntries(fields.map((field) => [field.name, typedAnswer(field, field.answer)])),
    },
    (values, changed) => {
      const { first_name: first, last_name: last, url } = values;
      const names = { first_name: String(first), last_name: String(last) };
      const renamed = 'first_name' in changed || 'last_name' in changed;
      const answers = Object.fromEntries(fields.map(({ name }) => [name, values[name]]));
      const changedAnswers = only(answers, changed);
      return save.run({
        body: {
          ...(renamed && names), // the server validates both names together
          ...('url' in changed && { url: String(url) }),
          ...(Object.keys(changedAnswers).length > 0 && { custom_fields: changedAnswers }),
        },
      });
    },
    undefined,
    { figures: (values) => answerFigures(fields, values) },
  );
  return (
    <Panel>
      <FormFrame form={form}>
        <FieldGroup
          title={t('You')}
          about={t('Your email and password are those of your account at {site}.', {
            site: program.siteName,
          })}
        >
          {profile.editable && (
            <>
              <div className="fa-two">
                <TextInput {...form.text('first_name')} label={t('First name')} autoComplete="given-name" />
                <TextInput {...form.text('last_name')} label={t('Last name')} autoComplete="family-name" />
              </div>
              <TextInput
                {...form.text('url')}
                label={t('Website')}
                type="url"
                placeholder="https://"
                dir="ltr"
                autoComplete="url"
              />
            </>
          )}
          <Facts
            facts={[
              !profile.editable && { label: t('Name'), value: profile.full_name },
              { label: t('Email'), value: profile.email },
              { label: t('Username'), value: profile.login },
              { label: t('Member since'), value: <DateTime at={profile.member_since} day /> },
              ...ownFacts('affiliates', profile),
            ]}
          />
        </FieldGroup>
        {fields.length > 0 && (
          <FieldGroup title={t('Your answers')} about={t('Your answers from the application.')}>
            {fields.map((field) => (
              <SignupInput
                key={field.name}
                field={field}
                value={form.values[field.name]}
                error={form.field(field.name).error}
                onChange={(value) => form.set({ [field.name]: value })}
              />
            ))}
          </FieldGroup>
        )}
      </FormFrame>
    </Panel>
  );
}

function Notifications(): ReactNode {
  return <QueryView of="portal.notifications">{(mails) => <NotificationForm mails={mails} />}</QueryView>;
}

function NotificationForm({ mails }: { mails: ResponseOf<'portal.notifications'> }): ReactNode {
  const save = useWrite('portal.save_notifications', { quiet: true, done: t('Saved') });
  const form = useForm({ ...mails }, (_values, changed) => save.run({ body: changed }));
  return (
    <Panel>
      <FormFrame form={form}>
        <FieldGroup title={t('Mails')} about={t('You always get warnings about your account.')}>
          <Checkbox {...form.flag('new_commission')} label={t('For each new commission')} />
          <Checkbox {...form.flag('payment_sent')} label={t('When a payment is sent')} />
          <Checkbox {...form.flag('announcements')} label={t('News and announcements of the program')} />
        </FieldGroup>
      </FormFrame>
    </Panel>
  );
}
