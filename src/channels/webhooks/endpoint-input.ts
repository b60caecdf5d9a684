import { isHttpUrl } from '../../core/address.js';
import { LINE } from '../../core/text.js';
import { FieldCheck } from '../../errors.js';
import { isEventType } from './catalog.js';
import { EVENT_TYPES } from '../../program/event-log/types.js';
import { ENDPOINT_STATUSES, type Endpoint } from './record.js';
import type { EndpointPatch } from './types.js';

const URL_LENGTH = 2048;
const DESCRIPTION_LENGTH = 255;

type EndpointFields = Pick<Endpoint, 'url' | 'description' | 'events' | 'status' | 'payment_details'>;

/** The values of a new endpoint. */
const NEW: EndpointFields = {
  url: '',
  events: [],
  description: '',
  status: 'active',
  payment_details: false,
};

/** An endpoint after this input; throws `validation_failed` with every wrong field. */
export function checkEndpoint(
  input: EndpointPatch,
  before: Endpoint | null,
  { allowPrivateNetworks }: { readonly allowPrivateNetworks: boolean },
): EndpointFields {
  const check = new FieldCheck();
  const next = { ...NEW, ...before, ...given(input) };
  if (!isUsable(next.url, allowPrivateNetworks))
    check.add('url', 'url', 'Enter an https:// URL without a user name, of at most 2,048 characters.');
  checkEvents(check, next.events);
  const description = next.description.trim();
  if (!LINE.fits(description)) check.add('description', LINE.rule, LINE.says);
  if (Array.from(description).length > DESCRIPTION_LENGTH)
    check.add('description', 'max', `The description must have at most ${DESCRIPTION_LENGTH} characters.`);
  if (!ENDPOINT_STATUSES.includes(next.status))
    check.add('status', 'in', 'The status must be one of: active, disabled.');
  if (next.payment_details && before?.payment_details !== true && input.confirm !== true)
    check.add(
      'payment_details',
      'confirm',
      'Send `confirm: true` to include payment details in these events.',
    );
  check.throwIfAny();
  return {
    url: next.url,
    events: [...new Set(next.events)],
    description,
    status: next.status,
    payment_details: next.payment_details,
  };
}

function checkEvents(check: FieldCheck, events: EndpointFields['events']): void {
  if (events.length === 0) check.add('events', 'required', 'Choose at least one event, or * for all.');
  else if (!events.every((type) => type === '*' || isEventType(type)))
    check.add('events', 'in', `The event must be one of: *, ${EVENT_TYPES.join(', ')}.`);
}

const given = (input: EndpointPatch): EndpointPatch =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));

function isUsable(text: string, allowPrivateNetworks: boolean): boolean {
  const url = text.length <= URL_LENGTH && isHttpUrl(text) ? URL.parse(text) : null;
  if (url === null) return false;
  return url.protocol === 'https:' || (allowPrivateNetworks && url.protocol === 'http:');
}
