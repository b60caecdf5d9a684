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
    __aff_id__: text('The value of the link: an id, a login or a name of its own.'),
    url: text('Address of the page.'),
    referrer: text('Where the visitor came from.'),
    utm_campaign: text('Campaign of the link.'),
    utm_medium: text('Medium of the link.'),
    utm_source: text('Source of the link.'),
    ...Object.fromEntries(SUB_IDS.map((name) => [name, text("An id of the affiliate's own.")])),
    visit_id: { type: 'integer', description: 'A visit that was counted on a connected site.' },
    consent: text('yes: the visitor has agreed to be remembered.'),
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
    time: text('Time of the site.'),
    visit_id: { type: 'integer', description: 'The visit that was counted.' },
  },
};
const ORDER = {
  type: 'object',
  properties: {
    token: text(
      "The order signed by the site; without it the other fields, where the site's options allow them.",
    ),
    amount: text('Total of the order.'),
    currency: text('Code of ISO 4217.'),
    reference: text('Number of the order.'),
    description: text('What was bought.'),
    provider: text('Where it was bought.'),
    status: word('Without a token an order always waits for a person: pending.', ['pending']),
    type: word('What the order is; a lead and a signup may have no amount.', ['sale', 'lead', 'signup']),
  },
};
const RECORDED = {
  type: 'object',
  required: ['message', 'time'],
  properties: { message: { type: 'string', enum: ['success', 'no'] }, time: text('Time of the site.') },
};

const BUSY = { 503: { $ref: '#/components/responses/Busy' } };
const refusals = {
  413: { description: 'The body is too large.' },
  429: { $ref: '#/components/responses/TooManyRequests' },
};

const call = (
  id: string,
  summary: string,
  [sent, responseSchema, more = {}]: readonly [object, object, object?],
): object => ({
  operationId: id,
  summary,
  description: `${summary}. For pages of the site; nobody has to be signed in.`,
  tags: ['tracking'],
  security: [],
  requestBody: {
    required: true,
    content: { 'application/json': { schema: sent }, 'application/x-www-form-urlencoded': { schema: sent } },
  },
  responses: {
    200: { description: 'Judged.', content: { 'application/json': { schema: responseSchema } } },
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
      description: 'Counts the click and sends the visitor on to the target of the link.',
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
          description: 'To the target.',
          headers: { Location: { description: 'The target.', schema: { type: 'string' } } },
        },
        429: { $ref: '#/components/responses/TooManyRequests' },
        default: { description: 'What the site itself answers where there is no such link.' },
      },
    },
  },
});
