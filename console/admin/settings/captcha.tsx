import { Select, Switch, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWrite, type ResponseOf } from '../../shared/data.js';
import { choicesIn } from '../../shared/filters.js';
import { FieldGroup, FormFrame, only, useForm } from '../../shared/form.js';
import { QueryView } from '../../shared/query-view.js';
import { formatInput } from '../../shared/typed.js';
import { t } from '../../shared/texts.js';

type Settings = ResponseOf<'captcha.settings'>['settings'];
type Provider = Settings['active_provider'];
type SavedKeys = Readonly<Record<string, unknown>>;
type Version = 'v2_visible' | 'v3_invisible';

const PROVIDERS: readonly { readonly value: Provider; readonly label: string; readonly keys: string }[] = [
  { value: 'recaptcha', label: 'Google reCAPTCHA', keys: 'https://www.google.com/recaptcha/admin' },
  { value: 'hcaptcha', label: 'hCaptcha', keys: 'https://dashboard.hcaptcha.com' },
  { value: 'turnstile', label: 'Cloudflare Turnstile', keys: 'https://dash.cloudflare.com' },
];

/** The captcha of the sign-up form: provider and keys. */
export const Captcha = (): ReactNode => (
  <QueryView of="captcha.settings" fresh lines={6}>
    {({ settings }) => <CaptchaForm settings={settings} />}
  </QueryView>
);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const versionOf = (stored: SavedKeys | undefined): Version =>
  stored?.['version'] === 'v3_invisible' ? 'v3_invisible' : 'v2_visible';

/** The key fields of a provider with its own labels; reCAPTCHA has a pair per version. */
function namesOf(provider: Provider, version: Version): { readonly site: string; readonly secret: string } {
  const prefix = provider === 'recaptcha' ? `${version.slice(0, 2)}_` : '';
  return { site: `${prefix}site_key`, secret: `${prefix}secret_key` };
}

function CaptchaForm({ settings }: { settings: Settings }): ReactNode {
  const save = useWrite('captcha.save', { quiet: true });
  const stored: Readonly<Record<string, SavedKeys | undefined>> = settings.providers;
  const keysOf = (provider: Provider, version: Version): { site_key: string; secret_key: string } => ({
    site_key: textOf(stored[provider]?.[namesOf(provider, version).site]),
    secret_key: '', // never in a response
  });
  const version = versionOf(stored['recaptcha']);
  const form = useForm(
    {
      enabled: settings.enabled,
      active_provider: settings.active_provider,
      version,
      score: formatInput(Number(stored['recaptcha']?.['v3_score_threshold'] ?? 0.5), 'count'),
      ...keysOf(settings.active_provider, version),
    },
    async ({ enabled, active_provider: provider, ...values }, changed) => {
      const names = namesOf(provider, values.version);
      const sent = {
        ...('site_key' in changed && { [names.site]: values.site_key }),
        ...('secret_key' in changed && { [names.secret]: values.secret_key }),
        ...(provider === 'recaptcha' && 'version' in changed && { version: values.version }),
        ...(names.site === 'v3_site_key' &&
          'score' in changed && { v3_score_threshold: Number(values.score) }),
      };
      await save.run({
        body: {
          settings: {
            ...only({ enabled, active_provider: provider }, changed),
            ...(Object.keys(sent).length > 0 && { providers: { [provider]: sent } }),
          },
        },
      });
    },
    undefined,
    {
      figures: ({ score }) => [
        { field: 'score', label: t('Lowest score'), typed: score, unit: 'count', digits: 2 },
      ],
    },
  );
  const { active_provider: provider, version: chosen } = form.values;
  const names = namesOf(provider, chosen);
  const isStored = Boolean(stored[provider]?.[names.secret]);
  const { label, keys } = PROVIDERS.find(({ value }) => value === provider)!;
  return (
    <FormFrame form={form}>
      <FieldGroup title={t('Sign-up check')} about={t('A CAPTCHA keeps bots out of the sign-up form.')}>
        <Switch label={t('Check that applicants are human')} {...form.flag('enabled')} />
        <Select
          label={t('Checked by')}
          data={PROVIDERS.map(({ value, label: name }) => ({ value, label: name }))}
          {...form.field('active_provider')}
          onChange={(value) => value && form.set({ active_provider: value, ...keysOf(value, chosen) })}
        />
        {provider === 'recaptcha' && (
          <Select
            label={t('Type')}
            data={choicesIn({
              v2_visible: t('Checkbox (version 2)'),
              v3_invisible: t('Invisible score (version 3)'),
            })}
            {...form.field('version')}
            onChange={(value) => value && form.set({ version: value, ...keysOf(provider, value) })}
          />
        )}
        {names.site === 'v3_site_key' && (
          <TextInput
            label={t('Lowest score')}
            description={t('From 0 to 1; a higher value rejects more sign-ups')}
            inputMode="decimal"
            {...form.text('score')}
          />
        )}
      </FieldGroup>
      <FieldGroup
        title={t('Keys of the provider')}
        about={
          <>
            {t('Get both keys here:')}{' '}
            <a href={keys} target="_blank" rel="noopener">
              {label}
            </a>
          </>
        }
      >
        <TextInput label={t('Site key')} autoComplete="off" {...form.text('site_key')} />
        <TextInput
          type="password"
          label={t('Secret key')}
          autoComplete="off"
          {...(isStored && { description: t('Leave empty to keep the stored key.') })}
          {...form.text('secret_key')}
        />
      </FieldGroup>
    </FormFrame>
  );
}
