import type { ReactNode } from 'react';
import { When } from '../../shared/dates.js';
import { doerText, entryText } from './said.js';
import type { ReferralView } from './view.js';

/** What became of the order. */
export const Timeline = ({ order }: { order: NonNullable<ReferralView['order']> }): ReactNode => (
  <ol className="fa-timeline">
    {order.timeline.map((entry, index) => (
      <li key={index}>
        <span>{entryText(entry, order.currency)}</span>
        <span className="fa-faint">
          <When at={entry.at} full /> · {doerText(entry)}
        </span>
      </li>
    ))}
  </ol>
);
