import type { ResponseOf } from '../../shared/data.js';
import { date } from '../../shared/dates.js';
import { money } from '../../shared/money.js';
import { t, word } from '../../shared/texts.js';
import { rateText } from '../rates.js';

export type Step = ResponseOf<'guide.steps'>['steps'][number];
export type StepKey = Step['key'];

export interface StepWords {
  readonly title: string;
  /** What is done, or what is missing. */
  readonly text: string;
  /** The screen of the step, and the text of the link. */
  readonly place?: { readonly href: string; readonly label: string };
  /** Code to copy into the site. */
  readonly lines?: string;
}

const rateOf = ({ rate = '', rate_type: type = '' }: Step['facts']): string =>
  rateText({ type: type === 'percentage' ? type : 'flat', rate: Number(rate) });

const WORDS: Readonly<Record<StepKey, (step: Step) => StepWords>> = {
  rates: ({ state, facts }) => ({
    title: t('Rate and currency'),
    text:
      state === 'done'
        ? t('A sale earns {rate}, paid in {currency}.', {
            rate: rateOf(facts),
            currency: facts['currency'] ?? '',
          })
        : t('A sale earns {rate}, paid in {currency}. Is that right?', {
            rate: rateOf(facts),
            currency: facts['currency'] ?? '',
          }),
    place: { href: '/settings/program', label: t('Change') },
  }),
  terms: ({ state, facts }) => ({
    title: t('Terms of the program'),
    text:
      state === 'done'
        ? t('Applicants agree to {page}.', { page: facts['page'] ?? '' })
        : t('Applicants can’t read the terms they agree to. Set the page with your terms.'),
    place: { href: '/settings/registration', label: t('Set the page') },
  }),
  signup: ({ state, facts }) => ({
    title: t('Sign-up for affiliates'),
    text:
      state === 'done'
        ? t('People apply at {page}.', { page: facts['portal'] ?? '' })
        : t('Sign-up is off, and there are no invitations.'),
    place: { href: '/settings/registration', label: t('Open sign-up') },
  }),
  mail: ({ state, at, facts }) => ({
    title: t('Mails arrive'),
    text:
      state === 'done'
        ? t('A test mail arrived on {date}.', { date: at === null ? '' : date(at) })
        : facts['sent'] === 'yes'
          ? t('The test mail was sent. Open the link in it.')
          : t('Send yourself a test mail and open the link in it.'),
  }),
  secret: ({ state, facts }) => ({
    title: t('Its own secret'),
    text:
      state === 'done'
        ? t('Cookies and links are signed with the secret of this site.')
        : facts['why'] === 'weak_secret'
          ? t('The secret can be guessed, so links and cookies can be forged.')
          : t('The secret is stored in the database it protects.'),
    lines:
      'openssl rand -base64 32\n\ncreateAffiliateService(host, { secret: process.env.AFFILIATE_SECRET })',
  }),
  tracker: ({ state, at, facts }) => ({
    title: t('Clicks are counted'),
    text:
      state === 'broken'
        ? t('No page has loaded the tracker since {date}.', { date: at === null ? '' : date(at) })
        : state === 'done'
          ? facts['page']
            ? t('Last seen on {page}.', { page: facts['page'] })
            : t('Clicks arrive.')
          : t('No shop page has loaded the tracker yet.'),
    lines: `<script src="${facts['script'] ?? ''}" async></script>`,
  }),
  shop: ({ state, at, facts }) => ({
    title: t('Orders arrive'),
    text:
      facts['off'] === 'yes'
        ? t('A shop is switched off: its orders earn nothing.')
        : state === 'broken'
          ? t('The shop’s webhooks are failing. The last failure was on {date}.', {
              date: at === null ? '' : date(at),
            })
          : state === 'done'
            ? t('The last order came on {date}.', { date: at === null ? '' : date(at) })
            : t('The shop has reported no order yet. Connect it, or report orders from the code.'),
    place:
      state === 'broken'
        ? { href: '/system?tab=inbox', label: t('Look at the inbox') }
        : {
            href: '/settings/integrations',
            label: facts['off'] === 'yes' ? t('Switch on the shop') : t('Connect a shop'),
          },
    lines:
      "await service.conversions.record(req, {\n  provider: 'shop',\n  reference: order.id,\n  order: { subtotal: order.subtotal },\n  customer: { email: order.email },\n});",
  }),
  test_order: ({ state, facts }) => ({
    title: t('A test order earns'),
    text:
      state === 'done'
        ? t('It earned {amount} and was deleted again.', {
            amount: money(facts['commission'], facts['currency']),
          })
        : t('Records an order of 100 for the first affiliate, then deletes it. No commission is paid.'),
  }),
  payment: ({ state, facts }) => ({
    title: t('A payout method'),
    text:
      state === 'done'
        ? t('Affiliates are paid by {method}.', { method: word(facts['method']) })
        : t('Affiliates are paid by {method}. Is that right?', { method: word(facts['method']) }),
    place: { href: '/settings/program', label: t('Change') },
  }),
  payout: ({ state, at }) => ({
    title: t('The first payout'),
    text:
      state === 'done'
        ? t('The first affiliate was paid on {date}.', { date: at === null ? '' : date(at) })
        : t('When a commission is ready to pay, create a payout and mark it as paid.'),
    place: { href: '/payouts/new', label: t('New payout') },
  }),
};

export const wordsOf = (step: Step): StepWords => WORDS[step.key](step);
