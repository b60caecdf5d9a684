import { escapeHtml } from '../../core/text.js';
import type { Deps } from './deps.js';
import { sayIn } from '../../core/mail-texts.js';
import type { MailSubject } from './types.js';

/**
 * Tells the administrator that an endpoint gets no more events; null when it was switched on again or
 * removed.
 */
export async function endpointDisabledMail(
  app: Deps,
  { endpoint_id: id }: MailSubject,
): Promise<{ readonly subject: string; readonly body: string } | null> {
  const endpoint = (await app.events.endpoints()).find((each) => each.id === id);
  if (endpoint?.status !== 'disabled') return null;
  const { name, language } = app.host.site();
  const say = sayIn(language);
  const webhooks = await app.settings.consoleUrl('/settings/webhooks');
  const reason =
    endpoint.disabled_reason === 'gone'
      ? say('It answered that it is gone (410).')
      : say('It has not accepted any event for five days.');
  return {
    subject: say('A webhook of {site} was switched off', { site: name }),
    body:
      `<p>${say('Events of the affiliate program are not sent any more to')}</p>` +
      `<p>${escapeHtml(endpoint.url)}</p><p>${reason}</p>` +
      `<p>${say(
        'Once it works again, switch it on in the settings; ' +
          'what happened meanwhile can be sent again for 30 days.',
      )}</p>` +
      `<p><a class="button" href="${escapeHtml(webhooks)}">${say('Open the webhooks')}</a></p>`,
  };
}
