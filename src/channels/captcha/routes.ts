import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { wrapped } from '../../platform/http/wrapped.js';
import { presentCaptcha } from './presenter.js';
import { captchaResponse, captchaBody, captchaTest, captchaTested, settingsOfCaptcha } from './schemas.js';
import { CAPTCHA, type CaptchaService } from './service.js';
import type { CaptchaInput } from './types.js';

export interface RouteDeps {
  readonly captcha: CaptchaService;
}
const defineRoute = routesFor<RouteDeps>('captcha');

export const captchaRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'captcha.settings',
    method: 'get',
    paths: ['/settings/captcha'],
    access: policies.settings,
    summary: 'Get the spam protection settings of the sign-up form',
    settings: [CAPTCHA],
    response: captchaResponse,
    handler: async ({ app }) => presentCaptcha(await app.captcha.settings()),
  }),
  defineRoute({
    id: 'captcha.save',
    method: 'post',
    paths: ['/settings/captcha'],
    access: policies.settingsOfPeople,
    summary: 'Update the spam protection settings of the sign-up form',
    settings: [CAPTCHA],
    body: captchaBody,
    response: captchaResponse,
    handler: async ({ app, body, request }) => {
      wrapped(request.submitted, 'settings', settingsOfCaptcha.properties);
      return {
        // The schema checks the names; its type, a union of maps, is wider than what it lets pass.
        ...presentCaptcha(await app.captcha.save((body.settings ?? {}) as CaptchaInput)),
        message: 'Settings saved.',
      };
    },
  }),
  defineRoute({
    id: 'captcha.validate',
    method: 'post',
    paths: ['/settings/captcha/validate'],
    access: policies.settingsOfPeople,
    summary: 'Test the spam protection keys with a response from its widget',
    body: captchaTest,
    response: captchaTested,
    handler: async ({ app, body }) => {
      const { settings = {}, provider = settings.active_provider } = body;
      const input = { ...settings, ...(provider && { active_provider: provider }) } as CaptchaInput;
      return app.captcha.test(input, body.token);
    },
  }),
];
