import { createElement } from 'react';

/** The item of Payload's navigation that opens the console. The plugin names it in `afterNavLinks`. */
export const AffiliatesLink = ({ href, label }: { readonly href: string; readonly label: string }): object =>
  createElement(
    'a',
    { className: 'nav__link', href },
    createElement('span', { className: 'nav__link-label' }, label),
  );
