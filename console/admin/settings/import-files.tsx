import { Alert, Button, FileInput, NativeSelect, Switch, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { sendFiles } from '../../shared/boot.js';
import { queries } from '../../shared/data.js';
import { choicesOf } from '../../shared/filters.js';
import { FieldGroup } from '../../shared/form.js';
import { Panel, Problem } from '../../shared/parts.js';
import { Sheet } from '../../shared/sheet.js';
import { sentence, t, tn, word } from '../../shared/texts.js';
import { saveFile } from '../../shared/download.js';
import { EXAMPLES } from './import-examples.js';
import { columnName, meaningOf } from './import-words.js';

const FILES = ['affiliates', 'customers', 'commissions', 'clicks', 'payouts', 'coupons'] as const;
type FileName = (typeof FILES)[number];
const PRESETS = [
  ['generic', ''],
  ['rewardful', 'Rewardful'],
  ['tapfiliate', 'Tapfiliate'],
  ['refersion', 'Refersion'],
  ['goaffpro', 'GoAffPro'],
  ['dub', 'Dub'],
  ['firstpromoter', 'FirstPromoter'],
  ['tolt', 'Tolt'],
] as const;

interface UploadPreview {
  readonly ours: readonly string[];
  readonly columns: readonly string[];
  readonly mapping: Readonly<Record<string, string>>;
  readonly rows: readonly Readonly<Record<string, string>>[];
}
interface Preview {
  readonly files: Readonly<Partial<Record<FileName, UploadPreview>>>;
  readonly problem: string | null;
  readonly question: {
    readonly about: 'dates' | 'status' | 'coupons' | 'links';
    readonly file: string;
    readonly rows: number;
  } | null;
  readonly without_status: readonly { readonly file: string; readonly rows: number }[];
  readonly emails: readonly {
    readonly rows: string;
    readonly row: string;
    readonly column: string;
    readonly value: string;
  }[];
  readonly link_columns: readonly string[];
}
/** Files with a status column, and its allowed values. */
const STATUSES = {
  affiliates: ['pending', 'active', 'inactive', 'skip'],
  commissions: ['paid', 'unpaid', 'pending', 'rejected', 'cancelled', 'processing', 'skip'],
  payouts: ['paid', 'processing', 'failed', 'skip'],
} as const;
type StatusFile = keyof typeof STATUSES;
const STATUS_FILES = Object.keys(STATUSES) as readonly StatusFile[];
/** Files whose rows may lack a value that has to be chosen. */
const HAVE_GAPS = [...STATUS_FILES, 'coupons'] as const;
type Columns = Partial<Record<FileName, Record<string, string>>>;

/** Uploads up to six CSV files with their format and column mapping; each change uploads them again. */
export function ImportFiles({
  onAsked,
}: {
  /** Called after each upload: does a question have to be answered before the import? */
  onAsked: (isAsked: boolean) => void;
}): ReactNode {
  const [files, setFiles] = useState<Partial<Record<FileName, File | null>>>({});
  const [preset, setPreset] = useState('generic');
  const [dates, setDates] = useState('');
  const [decimal, setDecimal] = useState('');
  const [status, setStatus] = useState<Partial<Record<StatusFile, string>>>({});
  const [shop, setShop] = useState('');
  const [ignoresLinks, setIgnoresLinks] = useState(false);
  const [columns, setColumns] = useState<Columns>({});
  const [preview, setPreview] = useState<Preview | null>(null);
  const send = async (mapped: Columns): Promise<void> => {
    const form = new FormData();
    const settings = {
      preset,
      ...(dates !== '' && { dates }),
      ...(decimal !== '' && { decimal }),
      default_status: Object.fromEntries(Object.entries(status).filter(([, word]) => word !== '')),
      ...(shop !== '' && { coupon_provider: shop }),
      ignore_link_columns: ignoresLinks,
      columns: mapped,
    };
    form.append('settings', JSON.stringify(settings));
    for (const name of FILES) {
      const file = files[name];
      if (file) form.append(name, file);
    }
    const found = (await sendFiles('migrations.files', form)) as Preview;
    setPreview(found);
    onAsked(found.problem !== null);
    await queries.invalidateQueries();
  };
  const { mutate: upload, isPending: running, error } = useMutation({ mutationFn: send });
  const map = (file: FileName, ours: string, theirs: string): void => {
    const next = { ...columns, [file]: { ...columns[file], [ours]: theirs } };
    setColumns(next);
    upload(next);
  };
  return (
    <Panel
      title={t('Files')}
      about={t('Choose the files that you have. The server keeps them until you replace them.')}
    >
      <div className="fa-stack">
        <div className="fa-two">
          {FILES.map((name) => (
            <FileInput
              key={name}
              label={word(name)}
              accept=".csv,text/csv"
              placeholder={t('Choose a file')}
              clearable
              clearButtonProps={{ 'aria-label': t('Remove {name}', { name: word(name) }) }}
              value={files[name] ?? null}
              onChange={(file) => setFiles({ ...files, [name]: file })}
            />
          ))}
        </div>
        <div className="fa-row" role="group" aria-label={t('Example files')}>
          <span className="fa-faint">{t('Example files')}</span>
          {FILES.map((name) => (
            <Button
              key={name}
              variant="subtle"
              size="compact-sm"
              onClick={() => saveFile(new Blob([EXAMPLES[name]], { type: 'text/csv' }), `${name}.csv`)}
            >
              {word(name)}
            </Button>
          ))}
        </div>
        <FieldGroup title={t('Format')}>
          <NativeSelect
            label={t('Exported by')}
            data={PRESETS.map(([value, label]) => ({
              value,
              label: value === 'generic' ? t('Another system') : label,
            }))}
            value={preset}
            onChange={(event) => setPreset(event.currentTarget.value)}
          />
          <NativeSelect
            label={t('Dates such as 03/04/2026')}
            data={[
              { value: '', label: t('Not in this file') },
              { value: 'day-first', label: t('Day first') },
              { value: 'month-first', label: t('Month first') },
            ]}
            value={dates}
            onChange={(event) => setDates(event.currentTarget.value)}
          />
          <NativeSelect
            label={t('Decimal separator')}
            data={[
              { value: '', label: t('Detect from the amounts') },
              { value: 'point', label: t('Point') },
              { value: 'comma', label: t('Comma') },
            ]}
            value={decimal}
            onChange={(event) => setDecimal(event.currentTarget.value)}
          />
        </FieldGroup>
        {HAVE_GAPS.some((name) => files[name]) && (
          <FieldGroup title={t('Missing values')} about={t('Only needed where rows have none.')}>
            {STATUS_FILES.filter((name) => files[name]).map((name) => (
              <NativeSelect
                key={name}
                label={t('{file}: status of rows without one', { file: word(name) })}
                data={[{ value: '', label: t('Choose') }, ...choicesOf(STATUSES[name], meaningOf)]}
                value={status[name] ?? ''}
                error={status[name] ? undefined : statusError(preview, name)}
                onChange={(event) => setStatus({ ...status, [name]: event.currentTarget.value })}
              />
            ))}
            {files.coupons && (
              <TextInput
                label={t('Shop of coupons without one')}
                placeholder="woo"
                value={shop}
                onChange={(event) => setShop(event.currentTarget.value.trim())}
              />
            )}
          </FieldGroup>
        )}
        {preview !== null && preview.link_columns.length > 0 && (
          <Switch
            label={t('Old links with these columns may stop working: {columns}', {
              columns: preview.link_columns.join(', '),
            })}
            checked={ignoresLinks}
            onChange={(event) => setIgnoresLinks(event.currentTarget.checked)}
          />
        )}
        {error !== null && <Problem error={error} />}
        <div className="fa-form-buttons">
          <Button
            loading={running}
            disabled={!FILES.some((name) => files[name])}
            onClick={() => upload(columns)}
          >
            {t('Upload')}
          </Button>
        </div>
        {preview !== null && (
          <>
            {preview.problem === null ? (
              <Alert color="green" role="status" title={t('The files can be read')} />
            ) : (
              <Alert color="yellow" role="status" title={questionText(preview) ?? sentence(preview.problem)}>
                {t('Then press “Upload” again. The import can start after that.')}
              </Alert>
            )}
            {preview.emails.length > 0 && (
              <Alert color="yellow" title={t('Email addresses that are not valid')}>
                <p>{t('These rows are imported without the address.')}</p>
                {preview.emails.slice(0, 20).map(({ rows, row, column, value }) => (
                  <div key={`${rows} ${row} ${column}`}>
                    {t('{file}, row {row}: {value}', { file: word(rows), row, value })}
                  </div>
                ))}
              </Alert>
            )}
            {FILES.map((name) => {
              const look = preview.files[name];
              return (
                look && (
                  <Mapping
                    key={name}
                    name={name}
                    look={look}
                    disabled={running}
                    onMap={(ours, theirs) => map(name, ours, theirs)}
                  />
                )
              );
            })}
          </>
        )}
      </div>
    </Panel>
  );
}

/** The rows of a file that have no status, as its field says it. */
function statusError(preview: Preview | null, name: StatusFile): string | undefined {
  const { rows = 0 } = preview?.without_status.find(({ file }) => file === name) ?? {};
  if (rows === 0) return undefined;
  return tn('{count} row has no status. Choose one.', '{count} rows have no status. Choose one.', rows);
}

/** What has to be chosen above; undefined when the files themselves are wrong. */
function questionText({ question, without_status: missing }: Preview): string | undefined {
  if (question === null) return undefined;
  const { about, rows } = question;
  const texts = {
    status: () =>
      t('Choose above what status rows without one have: {files}', {
        files: missing.map(({ file }) => word(file)).join(', '),
      }),
    coupons: () =>
      tn(
        '{count} coupon has no shop. Enter it above.',
        '{count} coupons have no shop. Enter it above.',
        rows,
      ),
    dates: () => t('Choose above whether dates begin with the day or the month.'),
    links: () => t('Choose the column of old links below, or accept above that they may stop working.'),
  };
  return texts[about]();
}

/** Maps our columns to those of the file, with a value of its first row. */
function Mapping({
  name,
  look: { ours, columns, mapping, rows },
  disabled,
  onMap,
}: {
  name: FileName;
  look: UploadPreview;
  disabled: boolean;
  onMap: (ours: string, theirs: string) => void;
}): ReactNode {
  return (
    <details className="fa-mapping">
      <summary>{t('{file}: which column is which', { file: word(name) })}</summary>
      <Sheet
        rows={ours}
        rowKey={(column) => column}
        columns={[
          { label: t('Here'), cell: columnName },
          {
            label: t('Column of the file'),
            cell: (column) => (
              <NativeSelect
                size="xs"
                aria-label={columnName(column)}
                disabled={disabled}
                data={[{ value: '', label: '—' }, ...columns]}
                value={mapping[column] ?? ''}
                onChange={(event) => onMap(column, event.currentTarget.value)}
              />
            ),
          },
          {
            label: t('First row'),
            cell: (column) => <span className="fa-clip">{rows[0]?.[mapping[column] ?? ''] ?? ''}</span>,
          },
        ]}
      />
    </details>
  );
}
