import type { Static } from 'typebox';
import { numberOrText } from '../../core/dto-schema.js';
import { array, boolean, integer, named, object, optional, string } from './schema.js';

// Responses of many modules.

/** The answer of a write that has no record to show. */
export const messageResponse = object({ message: string });

/** A figure as a card shows it; percentages are text. */
export const card = named(
  'Card',
  object(
    {
      title: string,
      amount: numberOrText,
      is_currency: boolean,
      is_number: optional(boolean),
      icon: string,
    },
    { additionalProperties: false },
  ),
);
export type CardDto = Static<typeof card>;

/** Labels of the time axis and one line of whole numbers per series. */
export const chartResponse = named(
  'Chart',
  object({ xAxisData: array(string), series: array(object({ name: string, data: array(integer) })) }),
);
