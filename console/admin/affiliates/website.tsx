import type { ReactNode } from 'react';
import type { AffiliateView } from './view.js';
import { answerText } from './view.js';

/** The website of the account, or else the one in the sign-up form. */
export function Website({ of: { user, custom_fields: answers } }: { of: AffiliateView }): ReactNode {
  const address = user?.user_url || answerText('url' in answers && answers['url']);
  // Applicants can enter any URL, so only http and https become links.
  return /^https?:\/\//i.test(address) ? (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      <bdi>{address}</bdi>
    </a>
  ) : (
    address || <span className="fa-faint">—</span>
  );
}
