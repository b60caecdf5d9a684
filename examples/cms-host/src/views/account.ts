import { html, type Html } from './html.js';

export const signIn = ({
  next,
  login,
  failed,
}: {
  readonly next: string;
  readonly login: string;
  readonly failed: boolean;
}): Html =>
  html` <section class="narrow">
    <h1>Sign in</h1>
    ${failed && html`<p class="alert" role="alert">Login and password do not fit.</p>`}
    <form method="post" action="/login" class="panel stack">
      <input type="hidden" name="next" value="${next}" />
      <label>Login <input name="login" value="${login}" autocomplete="username" required autofocus /></label>
      <label
        >Password <input type="password" name="password" autocomplete="current-password" required
      /></label>
      <button type="submit">Sign in</button>
    </form>
    <p>
      The accounts of this example are on the <a href="/">first page</a>. You have none?
      <a href="/partners">Apply as an affiliate</a>.
    </p>
  </section>`;
