import { t } from '../../shared/texts.js';

/** What a risk means; undefined for one this page does not know. */
export function riskText(code: string): string | undefined {
  const texts: Readonly<Record<string, string>> = {
    default_secret: t('No `secret` is given: the one in use lies in the database it protects.'),
    secret_differs: t('Another process uses this database with another secret.'),
    undeclared_proxy: t(
      'Requests come through a proxy that `tracking.trustProxy` does not name: all visitors behind it count as one.',
    ),
    durability: t('The database may lose what was saved; the log of the start names its settings.'),
    jobs_off: t('No job ran in the last hour: mails and retries wait. Call `service.jobs.runDue()`.'),
    mails_undeliverable: t('Mails are only logged: give a `mailer`, `smtp`, or a host with `mail`.'),
    mails_failed: t('Mails failed for good: look at the list below and send them again.'),
    mails_bounced: t('Mails came back in the last 30 days: those who did not get them get none any more.'),
    clock_ahead: t('Jobs ran at a time that is still to come: a clock was or is ahead.'),
    schema_newer: t('A newer version has changed the tables: update this process, too.'),
    old_secret_needed: t(
      'Do not remove the old secret from `previousSecrets` yet: stored secrets needed it within the last hour.',
    ),
    secrets_lost: t('Stored secrets cannot be opened with `secret` and `previousSecrets`.'),
    program_copy: t('This is a staging copy: it sends no mail until `affiliate-service go-live`.'),
    provider_silent: t('A shop that is switched on has reported nothing for a week.'),
    provider_off: t('A shop is switched off: its orders earn nothing.'),
    unproved_addresses: t(
      '`registration.verifyEmail` is off: people can sign up with an address that is not theirs, and learn who has an account.',
    ),
    tools_count: t('`tracking.countTools` is on: command-line programs count as visitors.'),
    private_networks: t(
      'Requests of the service may go to private addresses: `allowPrivateNetworks` in `events`, `connectedSites` or `captcha`.',
    ),
    insecure_sites: t(
      '`connectedSites.allowHttp` lets sites report over http://, where others can read along.',
    ),
    trusted_amounts: t('`connectedSites.trustAmounts`: a connected site says how much commission is earned.'),
    weak_secret: t('The `secret` is printed in an example or can be guessed; in production it is refused.'),
    unsigned_conversions: t('`tracking.unsignedConversions` accepts orders that nobody has signed.'),
    unsigned_cookies: t('`tracking.cookie.acceptUnsigned` accepts cookies that anybody can write.'),
    views_may_write: t(
      'The rights `fa_view_*` may also change data; `access.viewCapabilitiesReadOnly` limits them.',
    ),
    self_management: t(
      'Managers may change their own affiliate data and payments; `forbidSelfManagement` forbids it.',
    ),
  };
  return texts[code];
}
