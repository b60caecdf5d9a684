import { SUB_IDS } from '../../core/sub-ids.js';
import type { ResolvedOptions } from '../../options.js';

const text = (description: string): object => ({ type: 'string', description });
const word = (description: string, words: readonly string[]): object => ({
  type: 'string',
  enum: words,
  description,
});

const CLICK = {
  type: 'object',
  required: ['__aff_id__', 'url'],
  properties: {
    __aff_id__: text('The tracked value from the link: an ID, a login or a custom name.'),
    url: text('URL of the page.'),
    referrer: text('URL the visitor came from.'),
    utm_campaign: text('Campaign of the link.'),
    utm_medium: text('Medium of the link.'),
    utm_source: text('Source of the link.'),
    ...Object.fromEntries(SUB_IDS.map((name) => [name, text('Sub ID set by the affiliate.')])),
    visit_id: { type: 'integer', description: 'ID of the visit that a connected site already counted.' },
    consent: text('Set to `yes` if the visitor has consented to the cookie.'),
  },
};
const CLICKED = {
  type: 'object',
  required: ['message', 'time'],
  properties: {
    message: {
      type: 'string',
      enum: [
        'invalid param',
        'invalid aff',
        'affiliate_inactive',
        'already_exist',
        'throttled',
        'success',
        'no',
      ],
    },
    time: text("Current time in the site's time zone."),
    visit_id: { type: 'integer', description: 'ID of the counted visit.' },
  },
};
const ORDER = {
  type: 'object',
  properties: {
    token: text(
      'The order signed by the site. Without a token, send the other fields; the option `tracking.unsignedConversions` must allow this.',
    ),
    amount: text('Order total.'),
    currency: text('ISO 4217 currency code.'),
    reference: text('Order number.'),
    description: text('Description of the purchase.'),
    provider: text('Shop or payment system of the order.'),
    status: word('An order without a token is always pending until a manager reviews it.', ['pending']),
    type: word('Type of the order. `amount` is optional for `lead` and `signup`.', [
      'sale',
      'lead',
      'signup',
    ]),
  },
};
const RECORDED = {
  type: 'object',
  required: ['message', 'time'],
  properties: {
    message: { type: 'string', enum: ['success', 'no'] },
    time: text("Current time in the site's time zone."),
  },
};

const BUSY = { 503: { $ref: '#/components/responses/Busy' } };
const refusals = {
  413: { description: 'The request body is too large.' },
  429: { $ref: '#/components/responses/TooManyRequests' },
};

const call = (
  id: string,
  summary: string,
  [sent, responseSchema, more = {}]: readonly [object, object, object?],
): object => ({
  operationId: id,
  summary,
  description: `${summary}. Called by pages of the site. No authentication required.`,
  tags: ['tracking'],
  security: [],
  requestBody: {
    required: true,
    content: { 'application/json': { schema: sent }, 'application/x-www-form-urlencoded': { schema: sent } },
  },
  responses: {
    200: {
      description: 'Processed. `message` contains the result.',
      content: { 'application/json': { schema: responseSchema } },
    },
    ...refusals,
    ...more,
  },
});

/** The addresses called by pages and visitors: a click, the order of a thank-you page, a redirect link. */
export const trackingPaths = (
  { path, redirectPath }: ResolvedOptions['tracking'],
  siteUrl: string,
): Readonly<Record<string, unknown>> => ({
  [path]: { post: call('tracking.click', 'Count a click on a link', [CLICK, CLICKED]) },
  [`${path}/conversion`]: {
    post: call('tracking.conversion', 'Report the order of a thank-you page', [ORDER, RECORDED, BUSY]),
  },
  [`${redirectPath}/{slug}`]: {
    servers: [{ url: siteUrl }],
    get: {
      operationId: 'tracking.redirect',
      summary: 'Follow a redirect link',
      description: "Counts the click and redirects the visitor to the link's target.",
      tags: ['tracking'],
      security: [],
      parameters: [
        {
          name: 'slug',
          in: 'path',
          required: true,
          description: 'Name of the link.',
          schema: { type: 'string' },
        },
      ],
      responses: {
        302: {
          description: 'Redirect to the target.',
          headers: { Location: { description: 'URL of the target.', schema: { type: 'string' } } },
        },
        429: { $ref: '#/components/responses/TooManyRequests' },
        default: { description: "The site's own response if the link doesn't exist." },
      },
    },
  },
});
