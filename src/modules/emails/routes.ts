import { policies } from '../../access/policies.js';
import { defineRoute } from '../../http/define-route.js';
import { anyObject, array, object, string } from '../../http/schema.js';
import { EMAIL_CONFIG } from './config.js';
import { EMAIL_NOTIFICATIONS } from './notifications.js';
import {
  allEmailsBody,
  configBody,
  email,
  emailBody,
  emailConfig,
  emailSettings,
  smartCodeGroup,
} from './schemas.js';

const CONFIG = ['/settings/email-config'] as const;
const EMAILS = ['/settings/email-config/emails'] as const;

export const emailRoutes = [
  defineRoute({
    id: 'emails.config',
    method: 'get',
    paths: CONFIG,
    access: policies.settings,
    summary: 'Get the look and sender of mails',
    settings: [EMAIL_CONFIG],
    response: object({ settings: emailConfig }),
    handler: async ({ app }) => ({ settings: await app.emails.config() }),
  }),
  defineRoute({
    id: 'emails.save_config',
    method: 'post',
    paths: CONFIG,
    access: policies.settings,
    summary: 'Save the look and sender of mails',
    settings: [EMAIL_CONFIG],
    body: configBody,
    response: object({ settings: emailConfig, message: string }),
    handler: async ({ app, request }) => ({
      settings: await app.emails.saveConfig((request.submitted['settings'] ?? {}) as Record<string, unknown>),
      message: 'Saved',
    }),
  }),
  defineRoute({
    id: 'emails.list',
    method: 'get',
    paths: EMAILS,
    access: policies.settings,
    summary: 'List notification mails',
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
    access: policies.settings,
    summary: 'Change one notification mail',
    settings: [EMAIL_NOTIFICATIONS],
    body: emailBody,
    response: object({ message: string, settings: emailSettings, all_settings: anyObject }),
    handler: async ({ app, request }) => {
      const { settings, all } = await app.emails.notifications.save(
        request.submitted['email_key'],
        (request.submitted['data'] ?? {}) as Record<string, unknown>,
      );
      return { message: 'Saved', settings, all_settings: all };
    },
  }),
  defineRoute({
    id: 'emails.save_all',
    method: 'post',
    paths: EMAILS,
    access: policies.settings,
    summary: 'Change several notification mails at once',
    settings: [EMAIL_NOTIFICATIONS],
    body: allEmailsBody,
    response: object({ message: string, emails: array(email), all_settings: anyObject }),
    handler: async ({ app, request }) => {
      const all = await app.emails.notifications.saveAll(request.submitted['emails']);
      return { message: 'Saved', emails: await app.emails.notifications.list(), all_settings: all };
    },
  }),
];
