import { policies } from '../../platform/access/policies.js';
import { toIso } from '../../core/dates.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { messageAnswer } from '../../wire-records.js';
import { confirmBody, guideAnswer, mailOpenedBody, testOrderAnswer, type WireGuide } from './schemas.js';
import type { GuideService } from './service.js';

/** What the handlers below call. */
interface RouteNeeds {
  readonly guide: GuideService;
}
const defineRoute = routesFor<RouteNeeds>('guide');

const guideOf = async ({ guide }: RouteNeeds): Promise<WireGuide> => {
  const steps = await guide.steps();
  return {
    steps: steps.map((step) => ({ ...step, at: toIso(step.at) })),
    done: steps.filter(({ state }) => state === 'done').length,
    total: steps.length,
  };
};

/** The way from an empty program to its first payout. */
export const guideRoutes: readonly Route<RouteNeeds>[] = [
  defineRoute({
    id: 'guide.steps',
    method: 'get',
    paths: ['/guide'],
    access: policies.settings,
    summary: 'Say which steps to the first payout are done, which are open and which have stopped working',
    response: guideAnswer,
    handler: ({ app }) => guideOf(app),
  }),
  defineRoute({
    id: 'guide.confirm',
    method: 'post',
    paths: ['/guide/confirm'],
    access: policies.settings,
    summary: 'Confirm that rate and currency, or the way of payment, are right',
    body: confirmBody,
    response: guideAnswer,
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
    summary: 'Send the signed-in user a mail with a link that ticks the step about mails',
    response: messageAnswer,
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
    summary: 'Tell that the link in the test mail was opened',
    body: mailOpenedBody,
    response: guideAnswer,
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
    summary: 'Report an order that earns a commission, and take both out of the books',
    response: testOrderAnswer,
    handler: async ({ app }) => {
      const earned = await app.guide.testOrder();
      return { message: 'The test order earned a commission and was taken out again.', ...earned };
    },
  }),
];
