import { t } from '../shared/texts.js';

/** The sections of the settings by the last part of their path; some are for administrators only. */
export function settingsParts(
  administrator: boolean,
): readonly { readonly key: string; readonly label: string }[] {
  const parts = [
    { key: 'program', label: t('Program') },
    { key: 'rules', label: t('Money and rules') },
    { key: 'rewards', label: t('Rewards') },
    { key: 'registration', label: t('Sign-up form') },
    { key: 'captcha', label: t('Sign-up check') },
    { key: 'mails', label: t('Mails') },
    { key: 'integrations', label: t('Integrations') },
    { key: 'payers', label: t('Payers') },
    { key: 'features', label: t('Features') },
    { key: 'managers', label: t('Managers'), own: true },
    { key: 'keys', label: t('API keys'), own: true },
    { key: 'webhooks', label: t('Webhooks') },
    { key: 'sites', label: t('Connected sites') },
    { key: 'imports', label: t('Imports') },
    { key: 'license', label: t('License') },
    { key: 'danger', label: t('Danger zone'), own: true },
  ];
  return parts.filter(({ own }) => administrator || !own);
}
