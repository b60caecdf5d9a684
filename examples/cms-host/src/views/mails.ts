import type { StoredMail } from '../store/mails.js';
import { date } from './format.js';
import { html, type Html } from './html.js';
import { table } from './layout.js';

export const mailList = (mails: readonly StoredMail[]): Html =>
  html`<header class="head">
      <div>
        <p class="eyebrow">Nothing leaves this machine</p>
        <h1>Mails</h1>
      </div>
    </header>
    <p>What the shop and its affiliate program would have sent, newest first; also the codes of sign-ups.</p>
    ${table(
      'Mails',
      mails,
      [
        { head: 'When', cell: (mail) => date(mail.at) },
        { head: 'To', cell: (mail) => mail.recipient },
        { head: 'Subject', cell: (mail) => html`<a href="/mails/${mail.id}">${mail.subject}</a>` },
      ],
      'None yet. Apply as an affiliate, or buy something.',
    )}`;

export const mailPage = (mail: StoredMail): Html =>
  html`<article>
    <p class="eyebrow"><a href="/mails">Mails</a></p>
    <h1>${mail.subject}</h1>
    <p>To ${mail.recipient}, ${date(mail.at)}</p>
    <iframe
      class="mail"
      title="The mail"
      src="/mails/${mail.id}/html"
      sandbox="allow-popups allow-popups-to-escape-sandbox"
    ></iframe>
    <details>
      <summary>As plain text</summary>
      <pre>${mail.text}</pre>
    </details>
  </article>`;
