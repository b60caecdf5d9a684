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
  /** The screen of the step or a page of the shop, and the text of the link. */
  readonly place?: { readonly href: string; readonly label: string };
  /** Code to copy into the site, and where it belongs. */
  readonly lines?: { readonly lines: string; readonly about: string };
}

/** A section of the settings with a way back to the guide. */
const settings = (part: string): string => `/settings/${part}${part.includes('?') ? '&' : '?'}guide=yes`;

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
    place: { href: settings('program'), label: t('Change') },
  }),
  terms: ({ state, facts }) => ({
    title: t('Terms of the program'),
    text:
      state === 'done'
        ? t('Applicants agree to {page}.', { page: facts['page'] ?? '' })
        : t('Applicants can’t read the terms they agree to. Set the page with your terms.'),
    place: {
      href: settings('registration?field=terms_condition'),
      label: state === 'done' ? t('Change') : t('Set the page'),
    },
  }),
  signup: ({ state, facts }) => ({
    title: t('Sign-up for affiliates'),
    text:
      state === 'done'
        ? t('People apply at {page}.', { page: facts['portal'] ?? '' })
        : t('Sign-up is off, and there are no invitations.'),
    place: {
      href: settings('registration'),
      label: state === 'done' ? t('Change') : t('Open sign-up'),
    },
  }),
  mail: ({ state, at, facts }) => ({
    title: t('Mails arrive'),
    text:
      state === 'done'
        ? t('A test mail arrived on {date}.', { date: at === null ? '' : date(at) })
        : facts['sent'] === 'yes'
          ? t('The test mail was sent. Open the link in it.')
          : facts['sent'] === 'opened'
            ? t('Affiliates have no address for their questions. Set a reply address.')
            : t('Send yourself a test mail and open the link in it.'),
    ...(facts['sent'] === 'opened' && {
      place: { href: settings('mails?tab=look'), label: t('Set the address') },
    }),
  }),
  secret: ({ state, facts }) => ({
    title: t('Its own secret'),
    text:
      state === 'done'
        ? t('Cookies and links are signed with the secret of this site.')
        : facts['why'] === 'weak_secret'
          ? t('The secret can be guessed, so links and cookies can be forged.')
          : t('The secret is stored in the database it protects.'),
    lines: {
      about: t('The first line makes a secret. Keep it outside of the code.'),
      lines:
        'openssl rand -base64 32\n\ncreateAffiliateService(host, { secret: process.env.AFFILIATE_SECRET })',
    },
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
          : facts['link']
            ? t('Open your shop once through an affiliate’s link, then check again.')
            : t('Open your shop once through an affiliate’s link. You need an active affiliate for that.'),
    ...(facts['link'] && { place: { href: facts['link'], label: t('Open the shop') } }),
    lines: {
      about: t(
        'Only for shop pages that another application serves: paste this line into each page, before </head>.',
      ),
      lines: `<script src="${facts['script'] ?? ''}" async></script>`,
    },
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
            : t('No order has come yet. A developer connects the shop, or lets its code report each order.'),
    ...(state !== 'done' && {
      place:
        state === 'broken'
          ? { href: '/system?tab=inbox', label: t('Look at the inbox') }
          : {
              href: settings('integrations'),
              label: facts['off'] === 'yes' ? t('Switch on the shop') : t('Connect a shop'),
            },
    }),
    lines: {
      about: t('Paste this where your shop completes an order. A shop that is connected doesn’t need it.'),
      lines:
        "await service.conversions.record(req, {\n  provider: 'shop',\n  reference: order.id,\n  order: { subtotal: order.subtotal },\n  customer: { email: order.email },\n});",
    },
  }),
  test_order: ({ state, facts }) => ({
    title: t('A test order earns'),
    text:
      state === 'done'
        ? t('It earned {amount} and was deleted again.', {
            amount: money(facts['commission'], facts['currency']),
          })
        : t('Records an order of {amount} for the first affiliate, then deletes it. No commission is paid.', {
            amount: money(facts['total'], facts['currency']),
          }),
  }),
  payment: ({ state, facts }) => ({
    title: t('A payout method'),
    text:
      state === 'done'
        ? t('Affiliates are paid by {method}.', { method: word(facts['method']) })
        : t('Affiliates are paid by {method}. Is that right?', { method: word(facts['method']) }),
    place: { href: settings('program?field=payout_method'), label: t('Change') },
  }),
  payout: ({ state, at, facts }) => ({
    title: t('The first payout'),
    text:
      state === 'done'
        ? t('The first affiliate was paid on {date}.', { date: at === null ? '' : date(at) })
        : facts['payout']
          ? t('Payout {id} waits. Pay the affiliates in it, then mark it as paid.', { id: facts['payout'] })
          : t('When a commission is ready to pay, create a payout and mark it as paid.'),
    ...(state !== 'done' && {
      place: facts['payout']
        ? { href: `/payouts/${facts['payout']}`, label: t('Open the payout') }
        : { href: '/payouts/new', label: t('New payout') },
    }),
  }),
};

export const wordsOf = (step: Step): StepWords => WORDS[step.key](step);
