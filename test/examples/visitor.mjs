const BROWSER = {
  'User-Agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  Accept: 'text/html,application/xhtml+xml',
};
const DEADLINE_MS = 20_000;

/**
 * Somebody with a browser: keeps cookies, follows no redirect, sends JSON and,
 * to the REST interface, the nonce.
 */
export class Visitor {
  #cookies = new Map();
  #nonce = '';

  constructor(url) {
    this.url = url;
  }

  /** A page as a browser asks for it. */
  open(path) {
    return this.#send('GET', path, { headers: BROWSER });
  }

  get(path) {
    return this.#send('GET', path, { headers: { Accept: 'application/json' } });
  }

  post(path, body, headers = {}) {
    return this.#send('POST', path, {
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }

  form(path, fields) {
    return this.#send('POST', path, { headers: BROWSER, body: new URLSearchParams(fields) });
  }

  async signIn(login) {
    const answer = await this.post('/login', { login, password: login });
    if (answer.status !== 200) throw new Error(`${login} could not sign in: ${answer.status}`);
    await this.takeNonce();
  }

  /** After a sign-in, or a sign-up that signed in. */
  async takeNonce() {
    this.#nonce = (await this.get('/nonce')).body.nonce;
  }

  /** A call of the REST interface by the signed-in user. */
  rest(method, path, body, headers = {}) {
    return this.#send(method, `/wp-json/affiliate-service/v2${path}`, {
      headers: {
        'Content-Type': 'application/json',
        ...(this.#nonce === '' ? {} : { 'X-WP-Nonce': this.#nonce }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** As somebody with these cookies at another address, after a restart. */
  at(url) {
    this.url = url;
    return this;
  }

  async #send(method, path, init) {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(this.url + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(DEADLINE_MS),
      ...init,
      headers: { ...init.headers, ...(cookie === '' ? {} : { Cookie: cookie }) },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair] = line.split(';');
      const at = pair.indexOf('=');
      if (/Max-Age=0(;|$)/.test(line)) this.#cookies.delete(pair.slice(0, at));
      else this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const text = await answer.text();
    const isJson = (answer.headers.get('content-type') ?? '').includes('json');
    return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : null };
  }
}
