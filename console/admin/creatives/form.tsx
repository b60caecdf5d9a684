import {
  Button,
  FileButton,
  MultiSelect,
  SegmentedControl,
  Select,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { sendFiles, useBoot } from '../../shared/boot.js';
import { ConfirmButton } from '../../shared/buttons.js';
import { useRead, useWrite, type ResponseOf } from '../../shared/data.js';
import { choicesOf, choicesIn } from '../../shared/filters.js';
import { FormFrame, only, useForm, type Form } from '../../shared/form.js';
import { Loaded, Copy, Problem, statusText } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { DeletedLinks } from '../links/deleted.js';
import { useGroups } from '../people.js';
import { kindText, TYPES, type Row } from './kinds.js';

/** Creates or edits a creative. */
export function OpenCreative({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const isNew = id === 'new';
  const reading = useRead('creatives.get', { params: { id } }, { keep: false, enabled: !isNew });
  if (isNew) return <CreativeForm onClose={onClose} />;
  return (
    <Loaded of={reading}>{({ creative }) => <CreativeForm creative={creative} onClose={onClose} />}</Loaded>
  );
}

interface Values {
  name: string;
  description: string;
  type: Row['type'];
  image: string;
  text: string;
  url: string;
  privacy: Row['privacy'];
  status: 'active' | 'inactive';
  affiliate_ids: string[];
  group_ids: string[];
  start_time: string;
  end_time: string;
  media_width: number | '';
  media_height: number | '';
  media_type: string;
}

/** The initial values of the form. */
function valuesOf(creative: Row | undefined, siteUrl: string): Values {
  if (creative === undefined)
    return {
      name: '',
      description: '',
      type: 'image',
      image: '',
      text: '',
      url: siteUrl,
      privacy: 'public',
      status: 'active',
      affiliate_ids: [],
      group_ids: [],
      start_time: '',
      end_time: '',
      ...NO_MEDIA,
    };
  const time = (key: 'start_time' | 'end_time'): string => {
    const value = creative.meta[key];
    return typeof value === 'string' ? value.slice(0, 16).replace(' ', 'T') : '';
  };
  return {
    name: creative.name,
    description: creative.description ?? '',
    type: creative.type,
    image: creative.image ?? '',
    text: creative.text ?? '',
    url: creative.url,
    privacy: creative.privacy,
    status: creative.status === 'inactive' ? 'inactive' : 'active',
    affiliate_ids: creative.affiliate_ids.map(String),
    group_ids: creative.group_ids.map(String),
    start_time: time('start_time'),
    end_time: time('end_time'),
    media_width: sizeOf(creative.meta.media_width),
    media_height: sizeOf(creative.meta.media_height),
    media_type: creative.meta.media_type ?? '',
  };
}

const NO_MEDIA = { media_width: '', media_height: '', media_type: '' } as const;
const sizeOf = (value: number | string | undefined): number | '' => Number(value) || '';
const TIMES_OR_MEDIA = ['start_time', 'end_time', 'media_width', 'media_height', 'media_type'];

function CreativeForm({ creative, onClose }: { creative?: Row; onClose: () => void }): ReactNode {
  const create = useWrite('creatives.create', { quiet: true });
  const update = useWrite('creatives.update', { quiet: true });
  const remove = useWrite('creatives.delete', { quiet: true });
  const { program } = useBoot();
  const form = useForm<Values>(
    valuesOf(creative, program.siteUrl),
    async (
      { start_time, end_time, affiliate_ids, group_ids, media_width, media_height, media_type, ...rest },
      changed,
    ) => {
      const at = (value: string): string =>
        value === '' ? '' : `${value.replace('T', ' ')}:00`.slice(0, 19);
      const body = {
        ...rest,
        affiliate_ids: affiliate_ids.map(Number),
        group_ids: group_ids.map(Number),
        meta: { start_time: at(start_time), end_time: at(end_time), media_width, media_height, media_type },
      };
      const details = TIMES_OR_MEDIA.some((key) => key in changed) && { meta: body.meta };
      if (creative)
        await update.run({ params: { id: creative.id }, body: { ...only(body, changed), ...details } });
      else await create.run({ body });
      onClose();
    },
    ({ name }) => ({ ...(name.trim() === '' && { name: t('Enter a name.') }) }),
  );
  const { values } = form;
  const pictured = values.type === 'image' || values.type === 'banner';
  return (
    <div className="fa-split-wide">
      <FormFrame
        form={form}
        yes={creative ? t('Save') : t('Create creative')}
        always={!creative}
        onCancel={onClose}
      >
        <TextInput label={t('Name')} required autoFocus {...form.text('name')} />
        <Select label={t('Type')} data={choicesOf(TYPES, kindText)} {...form.choice('type')} />
        {pictured && program.uploads && (
          <Upload
            onStored={({ url, width, height, type }) =>
              form.set({ image: url, media_width: width, media_height: height, media_type: type })
            }
          />
        )}
        {pictured && <TextInput label={t('URL of the picture')} type="url" {...form.text('image')} />}
        {(values.type === 'text' || values.type === 'html') && (
          <Textarea label={values.type === 'html' ? t('HTML') : t('Text')} {...form.text('text')} />
        )}
        <TextInput label={t('Leads to')} type="url" {...form.text('url')} />
        <Textarea label={t('Description')} minRows={2} {...form.text('description')} />
        <SegmentedControl
          aria-label={t('Status')}
          data={choicesOf(['active', 'inactive'], statusText)}
          value={values.status}
          onChange={(status) => form.set({ status })}
        />
        <div className="fa-two">
          <TextInput label={t('Shown from')} type="datetime-local" {...form.text('start_time')} />
          <TextInput label={t('Shown until')} type="datetime-local" {...form.text('end_time')} />
        </div>
        <Audience form={form} />
        {creative && (
          <ConfirmButton
            variant="subtle"
            color="red"
            size="compact-sm"
            style={{ justifySelf: 'start' }}
            question={{
              title: t('Delete {name}?', { name: creative.name }),
              danger: true,
              yes: t('Delete'),
              text: (
                <>
                  <p>{t('Affiliates no longer see it. Copies on their pages continue to work.')}</p>
                  <ul>
                    <DeletedLinks of={{ creative_id: creative.id }} />
                  </ul>
                </>
              ),
              run: async () => {
                await remove.run({ params: { id: creative.id } });
                onClose();
              },
            }}
          >
            {t('Delete this creative')}
          </ConfirmButton>
        )}
      </FormFrame>
      <Preview values={values} />
    </div>
  );
}

type UploadedPicture = ResponseOf<'creatives.upload'>['picture'];

/** Uploads a picture by file dialog or drag and drop. */
function Upload({ onStored }: { onStored: (picture: UploadedPicture) => void }): ReactNode {
  const [over, setOver] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (file: File) =>
      sendFiles('creatives.upload', file) as Promise<ResponseOf<'creatives.upload'>>,
    onSuccess: ({ picture }) => onStored(picture),
  });
  const send = (file: File | null | undefined): void => {
    if (file && !isPending) mutate(file);
  };
  return (
    <div
      className="fa-drop"
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        send(event.dataTransfer.files[0]);
      }}
    >
      <FileButton accept={PICTURES} onChange={send}>
        {(props) => (
          <Button variant="default" leftSection={<IconUpload size={16} />} loading={isPending} {...props}>
            {t('Upload a picture')}
          </Button>
        )}
      </FileButton>
      <span className="fa-faint">{t('Or drop it here. PNG, JPEG, GIF or WebP, up to 5 MB.')}</span>
      {error !== null && <Problem error={error} />}
    </div>
  );
}

const PICTURES = 'image/png,image/jpeg,image/gif,image/webp';

function Audience({ form }: { form: Form<Values> }): ReactNode {
  const groups = useGroups();
  const people = useRead('settings.affiliate_options', { query: { search: '' } });
  return (
    <>
      <SegmentedControl
        aria-label={t('For')}
        data={choicesIn({ public: t('Everyone'), private: t('Selected affiliates') })}
        value={form.values.privacy}
        onChange={(privacy) => form.set({ privacy })}
      />
      {form.values.privacy === 'private' && (
        <>
          <MultiSelect label={t('Groups')} data={[...groups]} {...form.field('group_ids')} />
          <MultiSelect
            label={t('Affiliates')}
            searchable
            data={(people.data?.affiliates ?? []).map(({ id, full_name }) => ({
              value: String(id),
              label: full_name,
            }))}
            {...form.field('affiliate_ids')}
          />
        </>
      )}
    </>
  );
}

/** The creative as affiliates see it, with the code they copy. */
function Preview({ values }: { values: Values }): ReactNode {
  const code = codeOf(values);
  return (
    <div className="fa-stack">
      <h3>{t('Preview')}</h3>
      <div className="fa-preview">
        {(values.type === 'image' || values.type === 'banner') && values.image !== '' && (
          <img src={values.image} alt={values.name} />
        )}
        {values.type === 'text' && <span className="fa-strong">{values.text || values.name}</span>}
        {values.type === 'html' && <code className="fa-wrap">{values.text}</code>}
        {values.type === 'qr_code' && (
          <span className="fa-faint">{t('Each affiliate gets a QR code of their own link.')}</span>
        )}
      </div>
      {code !== '' && (
        <>
          <div className="fa-row">
            <h3>{t('Code to embed')}</h3> <Copy value={code} />
          </div>
          <code className="fa-code-block" tabIndex={0}>
            {code}
          </code>
          {values.type !== 'html' && (
            <p className="fa-about">{t('Each affiliate copies it with their own link.')}</p>
          )}
        </>
      )}
    </div>
  );
}

const isSafeUrl = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

function codeOf({ type, url, image, text, name, media_width, media_height }: Values): string {
  const size = media_width && media_height ? ` width="${media_width}" height="${media_height}"` : '';
  if (type === 'html') return text;
  if (type === 'text') return `<a href="${isSafeUrl(url)}">${isSafeUrl(text || name)}</a>`;
  return (type === 'image' || type === 'banner') && image !== ''
    ? `<a href="${isSafeUrl(url)}"><img src="${isSafeUrl(image)}" alt="${isSafeUrl(name)}"${size}></a>`
    : '';
}
