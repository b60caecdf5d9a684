import type { ReactNode } from 'react';
import { DateTime } from '../../shared/dates.js';
import { doerText, entryText } from './order-texts.js';
import type { ReferralView } from './view.js';

type Entries = NonNullable<ReferralView['order']>['timeline'];

/** What the shop reported of the minute in which the order was recorded comes after it. */
function recordedFirst(timeline: Entries): Entries {
  const recorded = timeline.find(({ kind }) => kind === 'order');
  if (recorded === undefined) return timeline;
  const minute = (recorded.at ?? '').slice(0, 'YYYY-MM-DDTHH:MM'.length);
  const others = timeline.filter((entry) => entry !== recorded);
  return [
    ...others.filter(({ at }) => (at ?? '') < minute),
    recorded,
    ...others.filter(({ at }) => (at ?? '') >= minute),
  ];
}

/** The history of an order. */
export const Timeline = ({ order }: { order: NonNullable<ReferralView['order']> }): ReactNode => (
  <ol className="fa-timeline">
    {recordedFirst(order.timeline).map((entry, index) => (
      <li key={index}>
        <span>{entryText(entry, order.currency)}</span>
        <span className="fa-faint">
          <DateTime at={entry.at} full /> · {doerText(entry)}
        </span>
      </li>
    ))}
  </ol>
);
