import type { ReactNode } from 'react';
import { DateTime } from '../../shared/dates.js';
import { doerText, entryText } from './order-texts.js';
import type { ReferralView } from './view.js';

/** The history of an order. */
export const Timeline = ({ order }: { order: NonNullable<ReferralView['order']> }): ReactNode => (
  <ol className="fa-timeline">
    {order.timeline.map((entry, index) => (
      <li key={index}>
        <span>{entryText(entry, order.currency)}</span>
        <span className="fa-faint">
          <DateTime at={entry.at} full /> · {doerText(entry)}
        </span>
      </li>
    ))}
  </ol>
);
