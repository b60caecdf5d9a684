import { policies } from '../../platform/access/policies.js';
import { toIso } from '../../core/dates.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { messageResponse } from '../../platform/http/responses.js';
import { confirmBody, guideResponse, mailOpenedBody, testOrderResponse, type GuideDto } from './schemas.js';
import type { GuideService } from './service.js';

export interface RouteDeps {
  readonly guide: GuideService;
}
const defineRoute = routesFor<RouteDeps>('guide');

const guideOf = async ({ guide }: RouteDeps): Promise<GuideDto> => {
  const steps = await guide.steps();
  return {
    steps: steps.map((step) => ({ ...step, at: toIso(step.at) })),
    done: steps.filter(({ state }) => state === 'done').length,
    total: steps.length,
  };
};

/** The way from an empty program to its first payout. */
export const guideRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'guide.steps',
    method: 'get',
    paths: ['/guide'],
    access: policies.settings,
    summary: 'List the setup steps to the first payout, each done, open or failing',
    response: guideResponse,
    handler: ({ app }) => guideOf(app),
  }),
  defineRoute({
    id: 'guide.confirm',
    method: 'post',
    paths: ['/guide/confirm'],
    access: policies.settings,
    summary: 'Confirm that the rate and currency, or the payout method, are correct',
    body: confirmBody,
    response: guideResponse,
    handler: async ({ app, body }) => {
      await app.guide.confirm(body.step);
      return guideOf(app);
    },
  }),
  defineRoute({
    id: 'guide.test_mail',
    method: 'post',
    paths: ['/guide/test-mail'],
    access: policies.settingsOfPeople,
    summary: 'Send the signed-in user a test e-mail. Its link completes the e-mail step',
    response: messageResponse,
    handler: async ({ app, user }) => {
      await app.guide.sendTestMail(user);
      return { message: `A test mail is on its way to ${user.email}.` };
    },
  }),
  defineRoute({
    id: 'guide.mail_opened',
    method: 'post',
    paths: ['/guide/mail-opened'],
    access: policies.settings,
    summary: 'Confirm that the link in the test e-mail was opened',
    body: mailOpenedBody,
    response: guideResponse,
    handler: async ({ app, body }) => {
      await app.guide.mailOpened(body.key);
      return guideOf(app);
    },
  }),
  defineRoute({
    id: 'guide.test_order',
    method: 'post',
    paths: ['/guide/test-order'],
    access: policies.settings,
    summary: 'Create a test order with a commission, then delete both',
    response: testOrderResponse,
    handler: async ({ app }) => {
      const earned = await app.guide.testOrder();
      return { message: 'The test order earned a commission and was removed again.', ...earned };
    },
  }),
];
