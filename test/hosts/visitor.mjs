// Somebody with a browser at one of the sites: keeps cookies and sends,
// to the interface, the nonce of its sign-in.
import { setTimeout as wait } from 'node:timers/promises';

export const BROWSER = {
  'User-Agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  Accept: 'text/html,application/xhtml+xml',
  'Sec-Fetch-Dest': 'document',
};

export class Visitor {
  cookies = new Map();
  nonce = '';

  constructor(url, base) {
    this.url = url;
    this.base = base;
  }

  get cookie() {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async send(method, path, { body, form, headers = {} } = {}) {
    const answer = await fetch(this.url + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(60_000),
      headers: {
        'User-Agent': BROWSER['User-Agent'],
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(this.cookie !== '' && { Cookie: this.cookie }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(form !== undefined && { body: new URLSearchParams(form) }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair] = line.split(';');
      const at = pair.indexOf('=');
      if (/Max-Age=0(;|$)/i.test(line) || pair.slice(at + 1) === '') this.cookies.delete(pair.slice(0, at));
      else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const text = await answer.text();
    const isJson = (answer.headers.get('content-type') ?? '').includes('json');
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: isJson && text ? JSON.parse(text) : null,
    };
  }

  open(path) {
    return this.send('GET', path, { headers: BROWSER });
  }

  /** Calls the interface; anything but 200 is the end of the journey. */
  async rest(method, path, body) {
    if (this.nonce === '') this.nonce = (await expectOk(this.send('GET', `${this.base}/nonce`))).nonce;
    return expectOk(this.send(method, this.base + path, { body, headers: { 'X-WP-Nonce': this.nonce } }));
  }
}

export async function expectOk(sent) {
  const { status, text, body } = await sent;
  if (status !== 200) throw new Error(`${status}: ${text.slice(0, 400)}`);
  return body;
}

/** Waits until the interface of the program answers: 401 to a visitor. */
export async function answers(url, seconds) {
  for (let second = 0; second < seconds; second++) {
    try {
      if ((await fetch(url, { redirect: 'manual' })).status === 401) return;
    } catch {
      // not yet
    }
    await wait(1000);
  }
  throw new Error(`${url} did not answer within ${seconds} s.`);
}
