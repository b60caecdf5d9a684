import { mailboxKey } from '../../core/mailbox.js';
import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { array, mapOf, object, string } from '../../platform/http/schema.js';
import { wrapped } from '../../platform/http/wrapped.js';
import { failFields } from '../../errors.js';
import type { Platform } from '../../platform/platform.js';
import { EMAIL_CONFIG } from './config.js';
import type { JsonMap } from '../../core/is-map.js';
import { EMAIL_NOTIFICATIONS, languageIn } from './notifications.js';
import {
  allEmailsBody,
  configBody,
  email,
  emailBody,
  emailConfig,
  emailSettings,
  mailPreview,
  previewBody,
  smartCodeGroup,
  testBody,
} from './schemas.js';
import type { EmailsService, MailDraft } from './service.js';

export interface RouteDeps extends Platform {
  readonly emails: EmailsService;
}
const defineRoute = routesFor<RouteDeps>('emails');

const CONFIG = ['/settings/email-config'] as const;
const EMAILS = ['/settings/email-config/emails'] as const;

const draftIn = ({ data, language }: JsonMap): MailDraft => ({
  data: (data ?? {}) as JsonMap,
  language: language === undefined || language === '' ? undefined : languageIn('language', language),
});

export const emailRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'emails.config',
    method: 'get',
    paths: CONFIG,
    access: policies.settings,
    summary: 'Get the design and sender of e-mails',
    settings: [EMAIL_CONFIG],
    response: object({ settings: emailConfig }),
    handler: async ({ app }) => ({ settings: await app.emails.config() }),
  }),
  defineRoute({
    id: 'emails.save_config',
    method: 'post',
    paths: CONFIG,
    access: policies.settingsOfPeople,
    summary: 'Update the design and sender of e-mails',
    settings: [EMAIL_CONFIG],
    body: configBody,
    response: object({ settings: emailConfig, message: string }),
    handler: async ({ app, request }) => ({
      settings: await app.emails.saveConfig(wrapped(request.submitted, 'settings', emailConfig.properties)),
      message: 'Settings saved.',
    }),
  }),
  defineRoute({
    id: 'emails.list',
    method: 'get',
    paths: EMAILS,
    access: policies.settings,
    summary: 'List notification e-mails',
    settings: [EMAIL_NOTIFICATIONS],
    response: object({ emails: array(email), smartcodes: array(smartCodeGroup) }),
    handler: async ({ app }) => ({
      emails: await app.emails.notifications.list(),
      smartcodes: app.emails.smartCodes,
    }),
  }),
  defineRoute({
    id: 'emails.save',
    method: 'patch',
    paths: EMAILS,
    access: policies.settingsOfPeople,
    summary: 'Update a notification e-mail',
    settings: [EMAIL_NOTIFICATIONS],
    body: emailBody,
    response: object({
      message: string,
      settings: emailSettings,
      all_settings: mapOf(emailSettings),
      unknown_codes: array(string),
    }),
    handler: async ({ app, request }) => {
      const { key, settings, all } = await app.emails.notifications.save(
        request.submitted['email_key'],
        (request.submitted['data'] ?? {}) as Record<string, unknown>,
      );
      const unknown = await app.emails.unknownCodes(key, settings);
      return { message: 'Settings saved.', settings, all_settings: all, unknown_codes: unknown };
    },
  }),
  defineRoute({
    id: 'emails.preview',
    method: 'post',
    paths: ['/settings/email-config/preview'],
    access: policies.settings,
    summary: 'Preview a notification e-mail with the newest data. Nothing is saved or sent',
    body: previewBody,
    response: mailPreview,
    handler: async ({ app, user, request }) => {
      const { to, subject, html, text } = await app.emails.preview(
        request.submitted['email_key'],
        draftIn(request.submitted),
        user.email,
      );
      const unknown_codes = await app.emails.unknownIn(
        request.submitted['email_key'],
        draftIn(request.submitted),
      );
      return { to, subject, html: html ?? '', text: text ?? '', unknown_codes };
    },
  }),
  defineRoute({
    id: 'emails.test',
    method: 'post',
    paths: ['/settings/email-config/test'],
    access: policies.settings,
    summary: 'Send a test of a notification e-mail to the signed-in user or to an address. Nothing is saved',
    body: testBody,
    response: object({ message: string }),
    handler: async ({ app, user, body, request }) => {
      const to = body.to || user.email;
      if (app.context.current().apiKey && mailboxKey(to) !== mailboxKey(user.email))
        failFields({ to: { in: 'With an API key, a test mail goes to the owner of the key only.' } });
      await app.emails.sendPreview(request.submitted['email_key'], draftIn(request.submitted), to);
      return { message: `A test mail is on its way to ${to}.` };
    },
  }),
  defineRoute({
    id: 'emails.save_all',
    method: 'post',
    paths: EMAILS,
    access: policies.settingsOfPeople,
    summary: 'Update several notification e-mails',
    settings: [EMAIL_NOTIFICATIONS],
    body: allEmailsBody,
    response: object({
      message: string,
      emails: array(email),
      all_settings: mapOf(emailSettings),
      unknown_codes: array(string),
    }),
    handler: async ({ app, request }) => {
      const all = await app.emails.notifications.saveAll(request.submitted['emails']);
      const emails = await app.emails.notifications.list();
      const unknown = new Set<string>();
      for (const { email_key: key, settings } of emails)
        for (const code of await app.emails.unknownCodes(key, settings)) unknown.add(code);
      return { message: 'Settings saved.', emails, all_settings: all, unknown_codes: [...unknown] };
    },
  }),
];
