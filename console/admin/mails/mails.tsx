import { Alert, Button, Modal, SegmentedControl, Select, Switch, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { LOCALES, type Locale } from '../../server/boot.js';
import { useAddress } from '../../shared/address.js';
import { send } from '../../shared/boot.js';
import { useRead, useWrite, type InputOf, type ResponseOf, type UseQueryResult } from '../../shared/data.js';
import { FieldGroup, FormFrame, only, useForm, type Form } from '../../shared/form.js';
import { AddressTabs, Loaded, Facts, Panel, Status } from '../../shared/parts.js';
import { htmlOf, plainOf } from '../../shared/plain-html.js';
import { QueryView } from '../../shared/query-view.js';
import { nameOfLanguage, fromServer, t } from '../../shared/texts.js';
import { MailFrame } from '../settings/mail-frame.js';
import { weekdays } from '../settings/weekdays.js';
import { useInsert } from './insert.js';

type Emails = ResponseOf<'emails.list'>;
type Email = Emails['emails'][number];
type Draft = NonNullable<InputOf<'emails.preview'>['body']>;

/** Notification mails: which are sent, their texts and their design. */
export function Mails(): ReactNode {
  return (
    <AddressTabs
      tabs={[
        { key: 'texts', label: t('Mails'), content: () => <Texts /> },
        { key: 'look', label: t('Design and sender'), content: () => <Design /> },
      ]}
    />
  );
}

const GROUPS = (): readonly { readonly group: Email['group']; readonly title: string }[] => [
  { group: 'affiliate', title: t('To affiliates') },
  { group: 'admin', title: t('To administrators') },
  { group: 'security', title: t('Security') },
];

function Texts(): ReactNode {
  const reading = useRead('emails.list');
  const address = useAddress();
  const open = reading.data?.emails.find(({ email_key }) => email_key === address.get('mail'));
  const show = (key: string | null): void => address.set({ mail: key });
  return (
    <Panel title={t('Mails')} about={t('Change the text of each mail, or switch the mail off.')}>
      <Loaded of={reading}>
        {({ emails }) => (
          <div className="fa-stack">
            {GROUPS().map(({ group, title }) => (
              <section key={group}>
                <h3 className="fa-part">{title}</h3>
                <div className="fa-rows">
                  {emails
                    .filter((mail) => mail.group === group)
                    .map((mail) => (
                      <Row key={mail.email_key} mail={mail} onOpen={() => show(mail.email_key)} />
                    ))}
                </div>
              </section>
            ))}
          </div>
        )}
      </Loaded>
      <Modal
        opened={open !== undefined}
        onClose={() => show(null)}
        title={open === undefined ? '' : fromServer(open.title)}
        size="xl"
      >
        {open !== undefined && reading.data && (
          <Editor
            key={open.email_key}
            mail={open}
            codes={reading.data.smartcodes}
            onClose={() => show(null)}
          />
        )}
      </Modal>
    </Panel>
  );
}

const hasOwnText = ({ settings: { is_default_body: isDefault, texts } }: Email): boolean =>
  isDefault === 'no' || Object.values(texts ?? {}).some((text) => text !== null);

/** A mail with its switch, unless it is always sent. */
function Row({ mail, onOpen }: { mail: Email; onOpen: () => void }): ReactNode {
  const save = useWrite('emails.save');
  const isRequired = mail.required === 'yes';
  const switchTo = (active: 'yes' | 'no'): void => {
    save.press({ body: { email_key: mail.email_key, data: { active } } });
  };
  return (
    <div>
      <span>
        <span className="fa-row">
          <button type="button" className="fa-plain fa-strong" onClick={onOpen}>
            {fromServer(mail.title)}
          </button>
          {isRequired && <Status of="info" tone="gray" label={t('Always sent')} />}
          {hasOwnText(mail) && <Status of="info" tone="blue" label={t('Own text')} />}
        </span>
        <span className="fa-faint">{fromServer(mail.description)}</span>
      </span>
      {!isRequired && (
        <Switch
          aria-label={fromServer(mail.title)}
          checked={mail.settings.active === 'yes'}
          disabled={save.running}
          onChange={(event) => switchTo(event.currentTarget.checked ? 'yes' : 'no')}
        />
      )}
    </div>
  );
}

function Editor({
  mail,
  codes,
  onClose,
}: {
  mail: Email;
  codes: Emails['smartcodes'];
  onClose: () => void;
}): ReactNode {
  const save = useWrite('emails.save', { quiet: true });
  const form = useForm<MailForm>(
    {
      active: mail.settings.active,
      subject: mail.settings.subject,
      is_default_body: mail.settings.is_default_body,
      email_body: mail.settings.is_default_body === 'yes' ? mail.default_body : mail.settings.email_body,
      ...textsInForm(mail),
    },
    async (values, changed) => {
      const { active, subject, is_default_body, email_body } = values;
      const ownBody = changed.is_default_body === 'no' && { email_body };
      const texts = LOCALES.filter((locale) => FIELDS_OF(locale).some((name) => name in changed));
      const { unknown_codes: codes } = await save.run({
        body: {
          email_key: mail.email_key,
          data: {
            ...only({ active, subject, is_default_body, email_body }, changed),
            ...ownBody,
            ...(texts.length > 0 && { texts: textsOf(values, texts) }),
          },
        },
      });
      if (codes.length === 0) onClose();
    },
  );
  const [language, setLanguage] = useState<Locale | null>(null);
  const [seen, setSeen] = useState(false);
  const test = useWrite('emails.test');
  const body = draftOf(mail, form.values, language);
  const preview = usePreview(body);
  const groups = codes.filter(
    ({ key }) => mail.smartcode_groups.length === 0 || mail.smartcode_groups.includes(key),
  );
  return (
    <FormFrame
      form={form}
      onCancel={onClose}
      more={
        <>
          <Button variant="default" aria-expanded={seen} onClick={() => setSeen(!seen)}>
            {seen ? t('Hide the preview') : t('Preview')}
          </Button>
          <Button variant="default" loading={test.running} onClick={() => test.press({ body })}>
            {t('Send me a test')}
          </Button>
        </>
      }
    >
      {mail.required === 'no' && <Switch label={t('This mail is sent')} {...form.flag('active')} />}
      <LanguageChooser values={form.values} value={language} onChange={setLanguage} />
      {language === null ? (
        <TextForAll form={form} groups={groups} />
      ) : (
        <TextInLanguage key={language} {...{ mail, form, groups, language }} />
      )}
      {seen && <Preview of={preview} />}
      <UnknownCodes codes={preview.data?.unknown_codes ?? []} />
    </FormFrame>
  );
}

/** Form fields of the text in one language. `own`: the language has a text of its own. */
type TextField = `texts.${Locale}.${'own' | 'subject' | 'email_body'}`;
type MailForm = Omit<Email['settings'], 'texts'> & Record<TextField, string>;
interface MailText {
  readonly subject: string;
  readonly email_body: string;
}

const FIELDS_OF = (locale: Locale) =>
  [`texts.${locale}.own`, `texts.${locale}.subject`, `texts.${locale}.email_body`] as const;

const textsInForm = ({ settings: { texts } }: Email): Record<TextField, string> =>
  Object.fromEntries(
    LOCALES.flatMap((locale) => {
      const { subject = '', email_body: body = '' } = texts?.[locale] ?? {};
      const [own, ...parts] = FIELDS_OF(locale);
      return [
        [own, subject + body === '' ? 'no' : 'yes'],
        ...parts.map((part, at) => [part, [subject, body][at]]),
      ];
    }),
  ) as Record<TextField, string>;

/** The texts as the service takes them: null where the text for all languages counts. */
const textsOf = (values: MailForm, locales: readonly Locale[]): Partial<Record<Locale, MailText | null>> =>
  Object.fromEntries(
    locales.map((locale) => {
      const [own, subject, body] = FIELDS_OF(locale);
      return [locale, values[own] === 'yes' ? { subject: values[subject], email_body: values[body] } : null];
    }),
  );

/** The mail as a reader of this language gets it; null: where no language has a text of its own. */
function draftOf(mail: Email, values: MailForm, language: Locale | null): Draft {
  const { active, subject, is_default_body, email_body } = values;
  const texts =
    language === null
      ? Object.fromEntries(LOCALES.map((locale) => [locale, null]))
      : textsOf(values, LOCALES);
  const data = { active, subject, is_default_body, email_body, texts };
  return { email_key: mail.email_key, data, ...(language !== null && { language }) };
}

/** The text that readers of a language get when the language has none of its own. */
function fallbackOf(mail: Email, values: MailForm, language: Locale): MailText {
  const builtIn = mail.default_texts[language]!;
  const isBuiltIn = Object.values(mail.default_texts).some(({ subject }) => subject === values.subject);
  return {
    subject: isBuiltIn ? builtIn.subject : values.subject,
    email_body: values.is_default_body === 'yes' ? builtIn.email_body : values.email_body,
  };
}

/** Chooses the readers whose text is shown. Languages with a text of their own are marked. */
function LanguageChooser({
  values,
  value,
  onChange,
}: {
  values: MailForm;
  value: Locale | null;
  onChange: (language: Locale | null) => void;
}): ReactNode {
  return (
    <Select
      label={t('Language')}
      description={t('The language of the reader chooses the text.')}
      allowDeselect={false}
      value={value ?? 'all'}
      onChange={(chosen) => onChange(chosen === 'all' ? null : chosen)}
      data={[
        { value: 'all', label: t('All languages') },
        ...LOCALES.map((locale) => ({ value: locale, label: nameOfLanguage(locale) })),
      ]}
      renderOption={({ option: { value: locale, label } }) => (
        <span className="fa-row">
          <bdi lang={locale === 'all' ? undefined : locale}>{label}</bdi>
          {values[`texts.${locale as Locale}.own`] === 'yes' && (
            <Status of="info" tone="blue" label={t('Own text')} />
          )}
        </span>
      )}
    />
  );
}

function TextForAll({ form, groups }: { form: Form<MailForm>; groups: Emails['smartcodes'] }): ReactNode {
  return (
    <>
      <TextInput label={t('Subject')} dir="auto" {...form.text('subject')} />
      <Switch label={t('Use the text that comes with the service')} {...form.flag('is_default_body')} />
      {form.values.is_default_body === 'yes' ? (
        <FixedText html={form.values.email_body} />
      ) : (
        <BodyEditor
          html={form.values.email_body}
          error={form.field('email_body').error}
          onChange={(email_body) => form.set({ email_body })}
          groups={groups}
        />
      )}
    </>
  );
}

/** The text for readers of one language, or the one that they get without it. */
function TextInLanguage({
  mail,
  form,
  groups,
  language,
}: {
  mail: Email;
  form: Form<MailForm>;
  groups: Emails['smartcodes'];
  language: Locale;
}): ReactNode {
  const [own, subject, body] = FIELDS_OF(language);
  const fallback = fallbackOf(mail, form.values, language);
  const { checked, error } = form.flag(own);
  const toggle = (isOwn: boolean): void => {
    const parts = isOwn ? { [subject]: fallback.subject, [body]: fallback.email_body } : {};
    form.set({ [own]: isOwn ? 'yes' : 'no', ...parts });
  };
  return (
    <>
      <Switch
        label={t('Own text for this language')}
        description={
          checked
            ? t('An empty subject or text falls back to that of all languages.')
            : t('Readers of this language get this text:')
        }
        checked={checked}
        error={error}
        onChange={(event) => toggle(event.currentTarget.checked)}
      />
      {checked ? (
        <>
          <TextInput
            label={t('Subject')}
            dir={directionOf(language)}
            lang={language}
            {...form.text(subject)}
          />
          <BodyEditor
            html={form.values[body]}
            error={form.field(body).error}
            onChange={(html) => form.set({ [body]: html })}
            groups={groups}
            language={language}
          />
        </>
      ) : (
        <>
          <TextInput
            label={t('Subject')}
            dir={directionOf(language)}
            lang={language}
            readOnly
            value={fallback.subject}
          />
          <FixedText html={fallback.email_body} language={language} />
        </>
      )}
    </>
  );
}

const directionOf = (language: Locale | undefined): 'auto' | 'rtl' | 'ltr' =>
  language === undefined ? 'auto' : language === 'ar' ? 'rtl' : 'ltr';

/** A text that cannot be changed here. */
const FixedText = ({ html, language }: { html: string; language?: Locale }): ReactNode => (
  <Textarea
    label={t('Text')}
    dir={directionOf(language)}
    lang={language}
    autosize
    minRows={8}
    maxRows={20}
    readOnly
    variant="filled"
    description={t('To change this text, turn the switch above.')}
    value={plainOf(html)}
    onChange={() => undefined}
  />
);

/** Edits the text or the HTML, and inserts codes at the cursor. */
function BodyEditor({
  html,
  error,
  onChange,
  groups,
  language,
}: {
  html: string;
  error: string | undefined;
  onChange: (html: string) => void;
  groups: Emails['smartcodes'];
  language?: Locale;
}): ReactNode {
  const [plain, setPlain] = useState<string | null>(() =>
    htmlOf(plainOf(html)) === html ? plainOf(html) : null,
  );
  const text = plain ?? html;
  const set = (next: string): void => {
    if (plain !== null) setPlain(next);
    onChange(plain === null ? next : htmlOf(next));
  };
  const [box, insert] = useInsert(text, set);
  const choose = (kind: string): void => {
    if (kind === 'html') setPlain(null);
    else {
      const words = plainOf(html);
      setPlain(words);
      onChange(htmlOf(words));
    }
  };
  return (
    <>
      <SegmentedControl
        aria-label={t('How to write')}
        value={plain === null ? 'html' : 'plain'}
        onChange={choose}
        data={[
          { value: 'plain', label: t('Plain text') },
          { value: 'html', label: 'HTML' },
        ]}
      />
      <Textarea
        ref={box}
        label={t('Text')}
        dir={plain === null ? 'ltr' : directionOf(language)}
        lang={language}
        description={
          plain === null
            ? t('HTML; codes in double braces are filled in.')
            : t('An empty line starts a paragraph. Plain text has no formatting: HTML buttons become URLs.')
        }
        autosize
        minRows={8}
        maxRows={20}
        value={text}
        error={error}
        onChange={(event) => set(event.currentTarget.value)}
      />
      <details className="fa-codes">
        <summary>{t('Codes')}</summary>
        {groups.map(({ key, title, shortcodes }) => (
          <section key={key}>
            <h3 className="fa-part">{fromServer(title)}</h3>
            <ul className="fa-plain-list">
              {Object.entries(shortcodes).map(([code, label]) => {
                const written = `{{${code.replaceAll(/[{}#]/g, '')}}}`;
                return (
                  <li key={code}>
                    <button type="button" className="fa-plain" onClick={() => insert(written)}>
                      <code>{written}</code>
                    </button>{' '}
                    <span className="fa-faint">{typeof label === 'string' ? fromServer(label) : ''}</span>
                  </li>
                );
              })}
            </ul>
          </section>
        ))}
      </details>
    </>
  );
}

/** Codes that the mail would show as they are written. */
const UnknownCodes = ({ codes }: { codes: readonly string[] }): ReactNode =>
  codes.length > 0 && (
    <Alert color="yellow" variant="light" role="alert" title={t('This mail has no value for:')}>
      {codes.map((code) => (
        <code key={code} className="fa-code" dir="ltr">
          {code}{' '}
        </code>
      ))}
    </Alert>
  );

/** The mail as it is written now, with data of the newest records. */
function usePreview(body: Draft): UseQueryResult<ResponseOf<'emails.preview'>> {
  const [settled] = useDebouncedValue(JSON.stringify(body), 500);
  return useQuery({
    queryKey: ['emails.preview', settled],
    queryFn: ({ signal }) => send('emails.preview', { body: JSON.parse(settled) as Draft }, { signal }),
    placeholderData: keepPreviousData,
  });
}

function Preview({ of }: { of: UseQueryResult<ResponseOf<'emails.preview'>> }): ReactNode {
  return (
    <Loaded of={of}>
      {({ to, subject, html }) => (
        <div className="fa-mail">
          <Facts
            facts={[
              { label: t('Subject'), value: subject },
              { label: t('Test goes to'), value: to },
            ]}
          />
          <MailFrame html={html} />
        </div>
      )}
    </Loaded>
  );
}

const COLORS = (): readonly (readonly [string, string])[] => [
  ['body_bg', t('Background')],
  ['content_bg', t('Content')],
  ['content_color', t('Text')],
  ['highlight_bg', t('Highlight')],
  ['highlight_color', t('Text on the highlight')],
  ['footer_content_color', t('Footer')],
];

/** Values of the weekly summary's day, in the order of `weekdays`. */
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** Any CSS color as `#rrggbb`, the only form the color input accepts. */
function hexOf(color: string): string {
  const context = document.createElement('canvas').getContext('2d')!;
  context.fillStyle = color;
  const read = context.fillStyle; // `#rrggbb`, or `rgba(…)` for a transparent color
  if (read.startsWith('#')) return read;
  const parts = read.match(/[\d.]+/g)!.slice(0, 3);
  return `#${parts.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;
}

const Design = (): ReactNode => (
  <QueryView of="emails.config" fresh>
    {({ settings }) => <DesignForm settings={settings as Readonly<Record<string, string>>} />}
  </QueryView>
);

function DesignForm({ settings }: { settings: Readonly<Record<string, string>> }): ReactNode {
  const save = useWrite('emails.save_config', { quiet: true });
  const form = useForm<Record<string, string>>({ ...settings }, (_values, changed) =>
    save.run({ body: { settings: changed as Record<string, string> } }),
  );
  return (
    <FormFrame form={form}>
      <FieldGroup title={t('Sender')}>
        <div className="fa-two">
          <TextInput label={t('Name')} {...form.text('send_from_name')} />
          <TextInput label={t('Address')} type="email" {...form.text('send_from_email')} />
        </div>
        <div className="fa-two">
          <TextInput label={t('Reply name')} {...form.text('reply_to_name')} />
          <TextInput label={t('Reply address')} type="email" {...form.text('reply_to_email')} />
        </div>
        <TextInput
          label={t('Your email address for notifications')}
          type="email"
          {...form.text('admin_email')}
        />
        <Select
          label={t('How often the summary is sent')}
          allowDeselect={false}
          data={[
            { value: 'daily', label: t('Every day') },
            ...weekdays().map(({ label }, at) => ({ value: DAYS[at]!, label })),
            { value: 'never', label: t('Never') },
          ]}
          {...form.choice('summary_email_day')}
        />
      </FieldGroup>
      <FieldGroup title={t('Design')}>
        <TextInput label={t('URL of the logo')} type="url" {...form.text('logo')} />
        <div className="fa-two">
          {COLORS().map(([name, label]) => (
            <TextInput
              key={name}
              type="color"
              label={label}
              {...form.text(name)}
              value={hexOf(form.values[name] ?? '')}
            />
          ))}
        </div>
        <Textarea label={t('Footer of every mail')} {...form.text('email_footer')} />
        <Switch label={t('Hide the line about the service')} {...form.flag('disable_powered_by')} />
      </FieldGroup>
    </FormFrame>
  );
}
