import { ActionIcon, Button, Modal, Select, Switch, TagsInput, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconGripVertical, IconPencil, IconPlus } from '@tabler/icons-react';
import { useEffect, useState, type ReactNode } from 'react';
import { useAddress } from '../../shared/address.js';
import { useWrite, type ResponseOf } from '../../shared/data.js';
import { consentLast, FieldGroup, FormFrame, only, useForm } from '../../shared/form.js';
import { Panel } from '../../shared/parts.js';
import { SignupInput } from '../../shared/signup-input.js';
import { QueryView } from '../../shared/query-view.js';
import { fromServer, t, word } from '../../shared/texts.js';
import { isWebPage, termsPageOf, withTermsPage } from './terms-page.js';

type Answer_ = ResponseOf<'registration.fields'>;
type SignupField = Answer_['fields'][number];

/** The editor of the sign-up form: its fields, their order and a preview. */
export const Registration = (): ReactNode => (
  <QueryView of="registration.fields" fresh lines={10}>
    {(answer) => <Builder answer={answer} />}
  </QueryView>
);

function Builder({ answer }: { answer: Answer_ }): ReactNode {
  const save = useWrite('registration.save_fields', { quiet: true });
  const asked = useAddress().get('field');
  const [editing, setEditing] = useState(asked);
  const [dragged, setDragged] = useState<number | null>(null);
  const [isDue, setDue] = useState(false);
  const form = useForm({ fields: answer.fields, ...answer.settings }, ({ fields, ...settings }, changed) =>
    save.run({ body: { fields, settings: only(settings, changed) } }),
  );
  useEffect(() => {
    if (!isDue) return;
    setDue(false);
    void form.submit();
  }, [isDue]);
  const fields = consentLast(form.values.fields);
  const movable = fields.filter(({ type }) => !isConsent(type)).length;
  const move = (from: number, to: number): void => {
    if (to < 0 || Math.max(from, to) >= movable) return;
    const next = [...fields];
    next.splice(to, 0, ...next.splice(from, 1));
    form.set({ fields: next });
  };
  const replace = (name: string, field: SignupField | null): void =>
    form.set({
      fields: fields.flatMap((other) => (other.name === name ? (field === null ? [] : [field]) : [other])),
    });
  const add = (): void => {
    const name = `field_${Date.now().toString(36)}`;
    form.set({
      fields: [
        ...fields,
        {
          name,
          type: 'text',
          label: t('New question'),
          placeholder: '',
          help_text: '',
          required: 'no',
          enabled: 'yes',
          readonly: 'no',
          value: '',
          system_defined: 'no',
          disable_alter: 'no',
          public_only: 'no',
          is_hidden: 'no',
          custom: 'yes',
        },
      ],
    });
    setEditing(name);
  };
  const field = fields.find(({ name }) => name === editing);
  return (
    <div className="fa-stack fa-builder">
      <FormFrame form={form}>
        <FieldGroup title={t('Application')}>
          <Switch label={t('People can apply')} {...form.flag('enabled')} />
          <Switch
            label={t('Review each application')}
            description={t('Off: applicants are active at once')}
            {...form.flag('require_approval')}
          />
        </FieldGroup>
        <FieldGroup
          title={t('Fields')}
          about={t('Drag a field, or use the arrows. The box for the terms is always last.')}
        >
          {fields.map((one, at) => (
            <div
              key={one.name}
              className="fa-field-row"
              draggable={at < movable}
              onDragStart={() => setDragged(at)}
              onDragOver={(event) => event.preventDefault()}
              onDrop={() => {
                if (dragged !== null) move(dragged, at);
                setDragged(null);
              }}
            >
              <IconGripVertical size={15} aria-hidden="true" color="var(--fa-faint)" />
              <span>
                <span className="fa-strong">{fromServer(one.label) || t('Text between the fields')}</span>{' '}
                {one.required === 'yes' && <span className="fa-faint">{t('required')}</span>}
                <br />
                <span className="fa-faint">{word(one.type)}</span>
              </span>
              <Switch
                aria-label={t('Show {name}', { name: fromServer(one.label) })}
                checked={one.enabled === 'yes'}
                disabled={one.disable_alter === 'yes'}
                onChange={(event) =>
                  replace(one.name, { ...one, enabled: event.currentTarget.checked ? 'yes' : 'no' })
                }
              />
              <ActionIcon
                aria-label={t('Up: {name}', { name: fromServer(one.label) })}
                disabled={at === 0 || at >= movable}
                onClick={() => move(at, at - 1)}
              >
                <IconArrowUp size={15} />
              </ActionIcon>
              <ActionIcon
                aria-label={t('Down: {name}', { name: fromServer(one.label) })}
                disabled={at >= movable - 1}
                onClick={() => move(at, at + 1)}
              >
                <IconArrowDown size={15} />
              </ActionIcon>
              <ActionIcon
                aria-label={t('Edit {name}', { name: fromServer(one.label) })}
                onClick={() => setEditing(one.name)}
              >
                <IconPencil size={15} />
              </ActionIcon>
            </div>
          ))}
          <Button variant="default" leftSection={<IconPlus size={15} />} onClick={add}>
            {t('New field')}
          </Button>
        </FieldGroup>
      </FormFrame>
      <Panel title={t('Preview')} about={t('As applicants see it.')}>
        <div className="fa-form" aria-hidden="true" inert>
          <h2 className="fa-signup-title">{t('Apply now')}</h2>
          {fields
            .filter(({ enabled, is_hidden }) => enabled === 'yes' && is_hidden !== 'yes')
            .map((one) => (
              <SignupInput
                key={one.name}
                field={shownIn(one)}
                value=""
                error={undefined}
                onChange={() => {}}
              />
            ))}
          <Button style={{ justifySelf: 'start' }} tabIndex={-1}>
            {t('Send application')}
          </Button>
        </div>
      </Panel>
      <Modal
        opened={field !== undefined}
        onClose={() => setEditing('')}
        closeOnClickOutside={false}
        title={t('Field')}
      >
        {field !== undefined && (
          <FieldForm
            key={field.name}
            field={field}
            yes={field.name === asked ? t('Save') : t('Done')}
            onClose={() => setEditing('')}
            onSave={(next) => {
              replace(field.name, next);
              setDue(field.name === asked); // the one who came for this field is done with it
              setEditing('');
            }}
          />
        )}
      </Modal>
    </div>
  );
}

const isConsent = (type: string): boolean => type === 'inline_checkbox';

/** Without the eye of a password, whose style only the portal has. */
const shownIn = (field: SignupField): SignupField =>
  field.type === 'password' ? { ...field, type: 'text' } : field;

/** Fields to tick have no room for an example. */
const hasExample = (type: string): boolean =>
  !['checkbox', 'inline_checkbox', 'radio', 'raw_html'].includes(type);

function FieldForm({
  field,
  yes,
  onClose,
  onSave,
}: {
  field: SignupField;
  yes: string;
  onClose: () => void;
  onSave: (field: SignupField | null) => void;
}): ReactNode {
  const [values, setValues] = useState(field);
  const linked = termsPageOf(field.inline_label ?? '');
  const [page, setPage] = useState(linked);
  const [isPageWrong, setPageWrong] = useState(false);
  const own = field.custom === 'yes';
  const text = (
    name: 'label' | 'placeholder' | 'help_text',
  ): { value: string; onChange: (event: { currentTarget: { value: string } }) => void } => ({
    value: values[name],
    onChange: (event) => setValues({ ...values, [name]: event.currentTarget.value }),
  });
  const choices = ['select', 'radio', 'multiselect'].includes(values.type);
  const finish = (): void => {
    const typed = page.trim();
    if (typed === linked) onSave(values);
    else if (typed !== '' && !isWebPage(typed)) setPageWrong(true);
    else onSave({ ...values, inline_label: withTermsPage(field.inline_label ?? '', typed) });
  };
  return (
    <div className="fa-form">
      <TextInput
        label={t('Question')}
        {...(!isConsent(field.type) && { 'data-autofocus': true })}
        {...text('label')}
      />
      {own && (
        <Select
          label={t('Type')}
          data={['text', 'textarea', 'number', 'url', 'date', 'select', 'radio', 'multiselect'].map(
            (value) => ({ value, label: word(value) }),
          )}
          value={values.type}
          onChange={(type) => type && setValues({ ...values, type })}
        />
      )}
      {choices && (
        <TagsInput
          size="sm"
          label={t('Choices')}
          description={t('Press Enter after each entry.')}
          value={[...(values.options ?? [])]}
          onChange={(options) => setValues({ ...values, options })}
        />
      )}
      {hasExample(values.type) && <TextInput label={t('Example in the field')} {...text('placeholder')} />}
      <TextInput label={t('Help below')} {...text('help_text')} />
      {field.name === 'terms_condition' && (
        <TextInput
          label={t('Page with your terms')}
          data-autofocus
          description={t('Applicants read it before they agree.')}
          placeholder="https://"
          value={page}
          error={isPageWrong && t('Enter a URL that begins with https:// or http://.')}
          onChange={(event) => {
            setPage(event.currentTarget.value);
            setPageWrong(false);
          }}
        />
      )}
      <Switch
        label={t('Required')}
        checked={values.required === 'yes'}
        disabled={field.disable_alter === 'yes'}
        onChange={(event) => setValues({ ...values, required: event.currentTarget.checked ? 'yes' : 'no' })}
      />
      <div className="fa-form-buttons">
        <Button onClick={finish}>{yes}</Button>
        <Button variant="default" onClick={onClose}>
          {t('Cancel')}
        </Button>
        {own && (
          <Button variant="subtle" color="red" onClick={() => onSave(null)}>
            {t('Remove')}
          </Button>
        )}
      </div>
    </div>
  );
}
