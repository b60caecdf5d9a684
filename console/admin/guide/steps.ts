import type { AnswerOf } from '../../shared/data.js';
import { date } from '../../shared/dates.js';
import { money } from '../../shared/money.js';
import { t, word } from '../../shared/texts.js';
import { rateText } from '../rates.js';

export type Step = AnswerOf<'guide.steps'>['steps'][number];
export type StepKey = Step['key'];

export interface StepWords {
  readonly title: string;
  /** What is there, or what is missing. */
  readonly text: string;
  /** The screen where it is done, and what the link says. */
  readonly place?: { readonly href: string; readonly label: string };
  /** For the site's code. */
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
    place: { href: '/settings/program', label: t('Change it') },
  }),
  terms: ({ state, facts }) => ({
    title: t('Terms of the program'),
    text:
      state === 'done'
        ? t('Applicants agree to {page}.', { page: facts['page'] ?? '' })
        : t('Applicants agree to terms that they cannot read: the consent leads to no page yet.'),
    place: { href: '/settings/registration', label: t('Name the page') },
  }),
  signup: ({ state, facts }) => ({
    title: t('A way in for affiliates'),
    text:
      state === 'done'
        ? t('People apply at {page}.', { page: facts['portal'] ?? '' })
        : t('Nobody can apply, and nobody is invited.'),
    place: { href: '/settings/registration', label: t('Open the sign-up') },
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
    title: t('A secret of its own'),
    text:
      state === 'done'
        ? t('Cookies and links are signed with the secret of this site.')
        : facts['why'] === 'weak_secret'
          ? t('The secret can be guessed, so links and cookies can be forged.')
          : t('The secret lies in the database that it protects.'),
    lines:
      'openssl rand -base64 32\n\ncreateAffiliateService(host, { secret: process.env.AFFILIATE_SECRET })',
  }),
  tracker: ({ state, at, facts }) => ({
    title: t('Clicks are counted'),
    text:
      state === 'broken'
        ? t('No page has asked for the tracker since {date}.', { date: at === null ? '' : date(at) })
        : state === 'done'
          ? facts['page']
            ? t('Last seen on {page}.', { page: facts['page'] })
            : t('Clicks arrive.')
          : t('No page of the shop has asked for the tracker yet.'),
    lines: `<script src="${facts['script'] ?? ''}" async></script>`,
  }),
  shop: ({ state, at, facts }) => ({
    title: t('Orders arrive'),
    text:
      facts['off'] === 'yes'
        ? t('A shop is switched off: its orders earn nothing.')
        : state === 'broken'
          ? t('Deliveries of the shop have failed since the last good one. The newest is of {date}.', {
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
        ? t('It earned {amount} and was taken out of the books again.', {
            amount: money(facts['commission'], facts['currency']),
          })
        : t(
            'An order of 100 is reported for the first affiliate and taken out again. Nobody is paid for it.',
          ),
  }),
  payment: ({ state, facts }) => ({
    title: t('A way to pay'),
    text:
      state === 'done'
        ? t('Affiliates are paid by {method}.', { method: word(facts['method']) })
        : t('Affiliates are paid by {method}. Is that right?', { method: word(facts['method']) }),
    place: { href: '/settings/program', label: t('Change it') },
  }),
  payout: ({ state, at }) => ({
    title: t('The first payout'),
    text:
      state === 'done'
        ? t('The first affiliate was paid on {date}.', { date: at === null ? '' : date(at) })
        : t('As soon as a commission is ready to pay, make a payout and mark it as paid.'),
    place: { href: '/payouts/new', label: t('New payout') },
  }),
};

export const wordsOf = (step: Step): StepWords => WORDS[step.key](step);
