import { t } from '../../shared/texts.js';

/** The text of a risk; undefined if unknown to this page. */
export function riskText(code: string): string | undefined {
  const texts: Readonly<Record<string, string>> = {
    default_secret: t('Set `secret`. The service now uses one stored in the database it protects.'),
    secret_differs: t(
      'Another process uses this database with another secret. Set the same `secret` everywhere.',
    ),
    undeclared_proxy: t('Visitors behind a proxy count as one. Add the proxy to `tracking.trustProxy`.'),
    durability: t(
      'The database can lose saved data after a crash. The startup log names the settings to change.',
    ),
    jobs_off: t('No job ran in the last hour, so mails and retries wait. Call `service.jobs.runDue()`.'),
    mails_undeliverable: t('Mails are logged, not sent. Set `mailer` or `smtp`, or use a host with `mail`.'),
    mails_failed: t('Some mails failed permanently. Send them again from the list below.'),
    mails_bounced: t('Mails bounced in the last 30 days. The service no longer sends to those addresses.'),
    clock_ahead: t('Jobs ran at a future time. Check the clocks of your servers.'),
    schema_newer: t('A newer version has changed the tables. Update this process too.'),
    old_secret_needed: t(
      'Don’t remove the old secret from `previousSecrets` yet. It was used in the last hour.',
    ),
    secrets_lost: t('Stored secrets can’t be decrypted. Add the old secret to `previousSecrets`.'),
    program_copy: t(
      'This is a staging copy and sends no mail. To change that, run `affiliate-service go-live`.',
    ),
    provider_silent: t('An active shop has reported nothing for a week. Check its webhooks.'),
    provider_off: t('A shop is switched off: its orders earn nothing.'),
    unproved_addresses: t(
      'People can sign up with other people’s addresses and find out who has an account.',
    ),
    tools_count: t('Programs that open links count as visitors, so the clicks are too many.'),
    private_networks: t('The service can send requests to computers of your own network.'),
    insecure_sites: t('Connected sites can report without encryption.'),
    trusted_amounts: t('Connected sites can set the amounts of commissions.'),
    weak_secret: t('`secret` is public or easy to guess, so it is rejected in production. Set a random one.'),
    unsigned_conversions: t('Anyone can report orders, because they need no signature.'),
    unsigned_cookies: t('Anyone can forge the cookies that credit an affiliate.'),
    views_may_write: t('People with a right to view can also change data.'),
    self_management: t('Managers who are affiliates can change their own affiliate data and payments.'),
  };
  return texts[code];
}

/** The option of the service that a developer sets to end a risk. */
export const optionOf = (code: string): string | undefined => OPTIONS[code];

const OPTIONS: Readonly<Record<string, string>> = {
  unproved_addresses: 'registration.verifyEmail',
  tools_count: 'tracking.countTools',
  private_networks: 'allowPrivateNetworks',
  insecure_sites: 'connectedSites.allowHttp',
  trusted_amounts: 'connectedSites.trustAmounts',
  unsigned_conversions: 'tracking.unsignedConversions',
  unsigned_cookies: 'tracking.cookie.acceptUnsigned',
  views_may_write: 'access.viewCapabilitiesReadOnly',
  self_management: 'forbidSelfManagement',
};
