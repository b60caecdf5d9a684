import { describe, expect, it } from '@jest/globals';
import { createContext, Script } from 'node:vm';
import { SCRIPT } from '../../src/attribution/tracking/browser-script.js';
import { linkMark } from '../../src/core/link-value.js';

interface Call {
  readonly url: string;
  readonly data: Record<string, string>;
}
interface Page {
  readonly href: string;
  readonly cookie?: string;
  readonly referrer?: string;
  readonly vars?: Record<string, unknown>;
  readonly window?: Record<string, unknown>;
  readonly navigator?: Record<string, unknown>;
  readonly prerendering?: boolean;
  /** Attributes of the script's own tag. */
  readonly tag?: Readonly<Record<string, string>>;
}

const VARS = {
  aff_param: 'ref',
  other_params: ['utm_source', 'visit_id'],
  credit_last: 'yes',
  duration_days: 30,
  request_url: '/track',
  cookie: 'f_aff',
  cookie_domain: '',
  consent: 'implied',
  consent_cookie: 'f_aff_consent',
};

/** Just enough of a browser: a page, its cookies, `fetch`, and events that tests fire. */
function open(page: Page) {
  const cookies = new Map(
    (page.cookie ?? '')
      .split('; ')
      .filter(Boolean)
      .map((each) => [each.split('=')[0] ?? '', each.slice(each.indexOf('=') + 1)]),
  );
  const calls: Call[] = [];
  const listeners = new Map<string, (event?: unknown) => void>();
  const states: unknown[] = [];
  const document = {
    currentScript: {
      getAttribute: (name: string) => page.tag?.[name] ?? null,
      hasAttribute: (name: string) => page.tag?.[name] !== undefined,
    },
    referrer: page.referrer ?? '',
    readyState: 'complete',
    prerendering: page.prerendering ?? false,
    addEventListener: (name: string, listener: (event?: unknown) => void) => {
      listeners.set(name, listener);
    },
    createElement: () => ({}),
    get cookie() {
      return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    },
    set cookie(line: string) {
      const [pair = ''] = line.split(';');
      if (/max-age=0/.test(line)) cookies.delete(pair.split('=')[0] ?? '');
      else cookies.set(pair.split('=')[0] ?? '', pair.slice(pair.indexOf('=') + 1));
    },
  };
  const window: Record<string, unknown> = {
    ...page.window,
    document,
    navigator: page.navigator ?? {},
    location: new URL(page.href),
    history: {
      pushState: (_state: unknown, _title: string, to: string) => {
        const location = window['location'] as URL;
        location.href = new URL(to, location).href;
      },
      state: { page: 3 },
      replaceState: (state: unknown, _title: string, to?: string) => {
        states.push(state);
        const location = window['location'] as URL;
        if (to !== undefined) location.href = new URL(to, location).href;
      },
    },
    URL,
    URLSearchParams,
    setTimeout,
    Math,
    String,
    Array,
    fetch: async (url: string, { body }: { body: URLSearchParams }) => {
      calls.push({ url, data: Object.fromEntries(body) });
      if (url === '/track') cookies.set('f_aff', encodeURIComponent(`${body.get('__aff_id__')}|7|1|sig`));
      return { text: async () => '{}' };
    },
  };
  window['window'] = window;
  const context = createContext(window);
  const script = new Script(`${SCRIPT}(${JSON.stringify({ ...VARS, ...page.vars })})`);
  script.runInContext(context);
  /** The same script in one more tag. */
  const again = (tag: Readonly<Record<string, string>>): void => {
    document.currentScript = {
      getAttribute: (name) => tag[name] ?? null,
      hasAttribute: (name) => name in tag,
    };
    script.runInContext(context);
  };
  const tracker = window['affiliateTracker'] as
    { push(item: unknown): void; grant(): void; revoke(): void; value(): string } | undefined;
  return {
    calls,
    tracker,
    cookies,
    again,
    fire: (name: string, event?: unknown) => listeners.get(name)?.(event),
    states,
    address: () => (window['location'] as URL).href,
    /** Sends a form; its address and its hidden fields afterwards. */
    submit: (form: Readonly<Record<string, string>>) => {
      const given = new Map(Object.entries(form));
      const fields: Record<string, unknown>[] = [];
      const target = {
        getAttribute: (name: string) => given.get(name) ?? null,
        setAttribute: (name: string, value: string) => given.set(name, value),
        appendChild: (field: Record<string, unknown>) => fields.push(field),
      };
      listeners.get('submit')?.({ target });
      return { action: given.get('action'), fields };
    },
    /** What a page without loads does. */
    go: (to: string) =>
      (window['history'] as { pushState(state: null, title: string, to: string): void }).pushState(
        null,
        '',
        to,
      ),
    /** A click on a link of the page; the address it leads to afterwards. */
    click: (href: string): string => {
      const link = {
        href: new URL(href, page.href).href,
        getAttribute: () => href,
        closest: () => link as unknown,
      };
      listeners.get('click')?.({ target: link });
      return link.href;
    },
    settled: () =>
      new Promise((resolve) => {
        setTimeout(resolve, 5);
      }),
  };
}

describe('the browser script', () => {
  it('reports the page without its tracking parameters', () => {
    const { calls } = open({
      href: 'https://shop.test/a?ref=jo&x=1&utm_source=news&visit_id=9#top',
      referrer: 'https://blog.test/',
    });

    expect(calls).toEqual([
      {
        url: '/track',
        data: {
          __aff_id__: 'jo',
          referrer: 'https://blog.test/',
          url: 'https://shop.test/a?x=1',
          utm_source: 'news',
          visit_id: '9',
        },
      },
    ]);
  });

  it.each<[string, Page, number]>([
    ['no value', { href: 'https://shop.test/' }, 0],
    ['the path form', { href: 'https://shop.test/a/ref/jo' }, 1],
    [
      'a landing page that presets the affiliate',
      { href: 'https://shop.test/', window: { fluent_aff_pre_ref: 'jo' } },
      1,
    ],
    [
      'a cookie of the same affiliate',
      {
        href: 'https://shop.test/?ref=jo',
        cookie: `a=1; f_aff=jo%7C7%7C${Math.floor(Date.now() / 1000)}%7Csig`,
      },
      0,
    ],
    ['a cookie of another one', { href: 'https://shop.test/?ref=jo', cookie: 'f_aff=al%7C7' }, 1],
    [
      'a cookie of another one while the first click wins',
      { href: 'https://shop.test/?ref=jo', cookie: 'f_aff=al%7C7', vars: { credit_last: '' } },
      0,
    ],
    ['no parameter name', { href: 'https://shop.test/?ref=jo', vars: { aff_param: '' } }, 0],
    [
      'Global Privacy Control',
      { href: 'https://shop.test/?ref=jo', navigator: { globalPrivacyControl: true } },
      0,
    ],
  ])('with %s makes %# call', (_name, page, calls) => {
    expect(open(page).calls).toHaveLength(calls);
  });

  it('waits until a prerendered page is looked at', () => {
    const { calls, fire } = open({ href: 'https://shop.test/?ref=jo', prerendering: true });

    expect(calls).toEqual([]);
    fire('prerenderingchange');
    expect(calls).toHaveLength(1);
  });

  it('stores nothing before consent where it is required, and forgets it when taken back', () => {
    const { calls, tracker, cookies } = open({
      href: 'https://shop.test/?ref=jo',
      vars: { consent: 'required' },
    });

    expect(calls).toEqual([]);
    expect(cookies.size).toBe(0);
    tracker?.grant();
    expect(calls).toEqual([
      expect.objectContaining({
        data: expect.objectContaining({ __aff_id__: 'jo', consent: '1' }) as unknown,
      }),
    ]);
    expect(cookies.get('f_aff_consent')).toBe('yes');
    tracker?.revoke();
    expect(cookies.size).toBe(0);
  });

  it('takes consent and work that were queued before it loaded', async () => {
    const ran: string[] = [];
    const page = open({
      href: 'https://shop.test/?ref=jo',
      vars: { consent: 'required' },
      window: {
        affiliateTracker: [
          'grant',
          () => {
            ran.push('early');
          },
        ],
        fluent_aff_ready_ajaxs: [{ url: '/convert', data: { amount: '5' } }],
      },
    });
    page.tracker?.push(() => {
      ran.push('late');
    });
    await page.settled();

    expect(ran).toEqual(['early', 'late']);
    expect(page.calls.map((call) => call.url)).toEqual(['/track', '/convert']);
    expect(page.tracker?.value()).toBe('jo');
  });

  it('keeps work waiting while nobody is credited', async () => {
    const ran: string[] = [];
    const page = open({ href: 'https://shop.test/' });
    page.tracker?.push(() => {
      ran.push('never');
    });
    await page.settled();

    expect(ran).toEqual([]);
  });

  it.each<[string, Page, object[]]>([
    [
      'a signed order',
      { href: 'https://shop.test/thanks', tag: { 'data-token': 'a.b' } },
      [{ token: 'a.b' }],
    ],
    [
      'an order in plain attributes',
      {
        href: 'https://shop.test/thanks',
        tag: { type: 'module', amount: '49.00', reference: 'A-1', 'data-type': 'lead' },
      },
      [{ amount: '49.00', reference: 'A-1', type: 'lead' }],
    ],
    [
      "an order in the page's address",
      {
        href: 'https://shop.test/thanks?amount=49&provider_id=7&x=1',
        tag: { 'data-conversion': '', 'data-amount': '50' },
      },
      [{ amount: '50', provider_id: '7' }],
    ],
    [
      'an address nobody asked to read',
      { href: 'https://shop.test/thanks?amount=49&provider_id=7', tag: { src: '/t.js', type: 'module' } },
      [],
    ],
    [
      'an order the page pushed',
      { href: 'https://shop.test/thanks', window: { affiliateTracker: [{ token: 'c.d' }] } },
      [{ token: 'c.d' }],
    ],
    [
      'an order before consent',
      { href: 'https://shop.test/thanks', tag: { 'data-token': 'a.b' }, vars: { consent: 'required' } },
      [],
    ],
    [
      'an order of somebody who wants no tracking',
      {
        href: 'https://shop.test/thanks',
        tag: { 'data-token': 'a.b' },
        navigator: { globalPrivacyControl: true },
      },
      [],
    ],
  ])('reports %s (docs/tracking.md §10)', (_what, page, orders) => {
    expect(open(page).calls).toEqual(orders.map((data) => ({ url: '/track/conversion', data })));
  });

  it('reports the click before the order, an order after consent, and one more of a second tag', async () => {
    const page = open({
      href: 'https://shop.test/thanks?ref=jo',
      tag: { 'data-token': 'a.b' },
      vars: { consent: 'required' },
    });
    expect(page.calls).toEqual([]);
    page.tracker?.grant();
    await page.settled();
    page.again({ 'data-token': 'c.d' });
    expect(page.calls.map(({ url, data }) => data['token'] ?? url)).toEqual(['/track', 'a.b', 'c.d']);
  });

  it('knows whom another product credited, where such cookies count', async () => {
    const ran: string[] = [];
    const page = {
      href: 'https://shop.test/',
      cookie: 'affwp_ref=12; affwp_ref_visit_id=34',
      window: {
        affiliateTracker: [
          () => {
            ran.push('ran');
          },
        ],
      },
    };
    const [closed, adopting] = [open(page), open({ ...page, vars: { adopt: true } })];
    await adopting.settled();
    expect([closed.tracker?.value(), adopting.tracker?.value(), ran]).toEqual(['', '12', ['ran']]);
  });
});

describe('consent that is given on a later page', () => {
  const vars = { consent: 'required' };

  it('still counts the click: links of the site carry the value until then, and nothing is stored', async () => {
    const first = open({ href: 'https://shop.test/?ref=jo&utm_source=news', vars });
    const to = first.click('/shop?x=1#top');
    expect(to).toBe('https://shop.test/shop?x=1&ref=jo&utm_source=news#top');
    expect(first.click('https://other.test/')).toBe('https://other.test/');
    expect(first.click('#part')).toBe('https://shop.test/?ref=jo&utm_source=news#part');
    expect(first.click('/?ref=else')).toBe('https://shop.test/?ref=else');
    expect([first.calls, [...first.cookies]]).toEqual([[], []]);

    const second = open({ href: to, vars });
    second.tracker?.grant();
    expect(second.calls).toMatchObject([
      { data: { __aff_id__: 'jo', utm_source: 'news', url: 'https://shop.test/shop?x=1', consent: '1' } },
    ]);
    await second.settled();
    expect(second.click('/more')).toBe('https://shop.test/more');
  });

  it('counts it where the pages change without a load', async () => {
    const page = open({ href: 'https://shop.test/?ref=jo', vars });
    page.go('/shop');
    await page.settled();
    expect(page.calls).toEqual([]);
    page.tracker?.grant();
    expect(page.calls).toMatchObject([{ data: { __aff_id__: 'jo', url: 'https://shop.test/' } }]);
  });

  it('leaves links alone where consent is not asked for', () => {
    const { click } = open({ href: 'https://shop.test/?ref=jo' });
    expect(click('/shop')).toBe('https://shop.test/shop');
  });
});

describe('pages that change without a load', () => {
  it('are seen, each address once', async () => {
    const page = open({ href: 'https://shop.test/' });
    page.go('/a?ref=jo');
    await page.settled();
    expect(page.calls).toMatchObject([{ data: { __aff_id__: 'jo', url: 'https://shop.test/a' } }]);
    page.go('/b');
    page.go('/a?ref=jo');
    await page.settled();
    expect(page.calls).toHaveLength(1);
  });
});

describe('visitors whose browser says no (Global Privacy Control)', () => {
  it('leave every function there, without effect', async () => {
    const ran: string[] = [];
    const page = open({
      href: 'https://shop.test/?ref=jo',
      navigator: { globalPrivacyControl: true },
      tag: { 'data-token': 'x' },
    });
    page.tracker?.grant();
    page.tracker?.push(() => ran.push('x'));
    page.tracker?.push('grant');
    page.tracker?.revoke();
    expect(page.tracker?.value()).toBe('');
    await page.settled();
    expect([page.calls, [...page.cookies], ran]).toEqual([[], [], []]);
  });
});

describe('without consent yet, the value travels', () => {
  const vars = { consent: 'required' };
  const landed = () => open({ href: 'https://shop.test/?ref=jo&utm_source=news', vars });

  it('with forms', () => {
    const page = landed();
    expect(page.submit({ method: 'post', action: '/cart?x=1' })).toEqual({
      action: 'https://shop.test/cart?x=1&ref=jo&utm_source=news',
      fields: [],
    });
    expect(page.submit({ action: '/search' })).toEqual({
      action: '/search',
      fields: [
        { type: 'hidden', name: 'ref', value: 'jo' },
        { type: 'hidden', name: 'utm_source', value: 'news' },
      ],
    });
    expect(page.submit({ method: 'post', action: 'https://other.test/' }).action).toBe('https://other.test/');
    page.tracker?.grant();
    expect(page.submit({ method: 'post', action: '/cart' }).action).toBe('/cart');
  });

  it('with pages that a program opens, over several of them, and is counted once the visitor agrees', async () => {
    const second = open({
      href: 'https://shop.test/a?x=1',
      referrer: 'https://shop.test/?ref=jo&utm_source=news',
      vars,
    });
    expect([second.address(), second.states, second.calls, second.cookies.size]).toEqual([
      'https://shop.test/a?x=1&ref=jo&utm_source=news',
      [{ page: 3 }],
      [],
      0,
    ]);
    const third = open({ href: 'https://shop.test/b', referrer: second.address(), vars });
    third.tracker?.grant();
    await third.settled();
    expect(third.calls.map(({ data }) => data)).toEqual([
      expect.objectContaining({
        __aff_id__: 'jo',
        utm_source: 'news',
        url: 'https://shop.test/b',
        consent: '1',
      }),
    ]);
    const stranger = open({ href: 'https://shop.test/', referrer: 'https://other.test/?ref=jo', vars });
    expect([stranger.address(), stranger.calls]).toEqual(['https://shop.test/', []]);
  });

  it('with pages that change their address themselves', async () => {
    const page = landed();
    page.go('/next');
    await page.settled();
    expect(page.address()).toBe('https://shop.test/next?ref=jo&utm_source=news');
  });

  it('past a link that cannot be read', () => {
    const page = landed();
    const broken = { href: 'https://[', getAttribute: () => 'https://[', closest: () => broken };
    expect(() => page.fire('click', { target: broken })).not.toThrow();
    expect(page.click('/a')).toBe('https://shop.test/a?ref=jo&utm_source=news');
  });
});

describe('a return', () => {
  const at = (seconds: number): number => Math.floor(Date.now() / 1000) - seconds;
  const calls = (cookie: string, vars: object = {}): number =>
    open({ href: 'https://shop.test/?ref=müller', cookie, vars: { ...vars } }).calls.length;

  it('is reported when the cookie is older than an hour, and the last click wins', () => {
    // '22j5eop' stands for another link
    expect(calls(`f_aff=7%7C1%7C${at(7200)}%7Csig`)).toBe(1);
    expect(calls(`f_aff=7%7C1%7C${at(60)}%7C22j5eop.sig`)).toBe(1);
    expect(calls(`f_aff=7%7C1%7C${at(60)}%7C${linkMark('müller')}.sig`)).toBe(0);
    expect(calls(`f_aff=7%7C1%7C${at(7200)}%7C${linkMark('müller')}.sig`)).toBe(1);
    expect(calls(`f_aff=7%7C1%7C${at(7200)}%7Csig`, { credit_last: '' })).toBe(0);
  });

  it('is recognized behind an invalid cookie', () => {
    expect(calls(`f_aff=junk; f_aff=7%7C1%7C${at(60)}%7C${linkMark('müller')}.sig`)).toBe(0);
  });
});

it.each(['?REF=jo', '?a=b&amp;ref=jo', '?via=jo', '?ref=&Ref=jo'])('reads %s', (query) => {
  const { calls } = open({ href: `https://shop.test/${query}`, vars: { old_params: [['via', '']] } });
  expect(calls.map(({ data }) => data['__aff_id__'])).toEqual(['jo']);
});
