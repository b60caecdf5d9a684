import { ACCOUNTS } from '../seed.js';
import { html, type Html } from './html.js';

/** Who one can be here, each with a button; the passwords are no secret. */
export const accounts = (signedIn: string | null): Html =>
  html`<section class="tour" aria-labelledby="tour">
    <h2 id="tour">Look at it as…</h2>
    <p>The password of every account is its login. Mails are kept under <a href="/mails">Mails</a>.</p>
    <ul class="people">
      ${ACCOUNTS.map(
        ({ login, first_name, about, home, button }) =>
          html`<li>
            <h3>${first_name} <code>${login}</code></h3>
            <p>${about}</p>
            ${
              login === signedIn
                ? html`<a class="button quiet" href="${home}">${button}</a>`
                : html`<form method="post" action="/login">
                    <input type="hidden" name="login" value="${login}" />
                    <input type="hidden" name="password" value="${login}" />
                    <input type="hidden" name="next" value="${home}" />
                    <button class="quiet" type="submit">${button}</button>
                  </form>`
            }
          </li>`,
      )}
    </ul>
  </section>`;
