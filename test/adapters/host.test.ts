import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { hostContract } from '../../adapters/contract/index.js';
import {
  createMemoryHost,
  createNonces,
  logMailer,
  MemoryMailer,
  transportMailer,
  type HostUser,
  type MemoryHost,
} from '../../adapters/index.js';

const START = Date.UTC(2026, 0, 15, 15);
const HOUR = 3_600_000;

const seed = {
  site: { url: 'https://shop.test', name: 'Shop', timeZone: 'UTC', restPrefix: '/wp-json' },
  users: [
    {
      id: 1,
      login: 'admin',
      email: 'admin@shop.test',
      display_name: 'Admin',
      capabilities: ['manage_options'],
    },
    {
      id: 2,
      login: 'alice',
      email: 'alice@shop.test',
      display_name: 'Alice Doe',
      first_name: 'Alice',
      last_name: 'Doe',
    },
  ],
  pages: [{ id: 1, title: 'Home', link: 'https://shop.test/' }],
};

const request = (cookie = ''): IncomingMessage => ({ headers: { cookie } }) as IncomingMessage;

async function known(host: MemoryHost, id: number): Promise<HostUser> {
  const [user] = await host.users.find([id]);
  if (user === undefined) throw new Error('no such user');
  return user;
}

hostContract({ describe, it }, 'memory', async () => {
  const clock = {
    time: START,
    now() {
      return this.time;
    },
  };
  const host = createMemoryHost({ ...seed, clock });
  return {
    host,
    admin: await known(host, 1),
    user: await known(host, 2),
    unknownId: 99,
    request: (user) => request(user === null ? '' : host.signIn(user.id).cookie),
    passADay: () => {
      clock.time += 25 * HOUR;
    },
  };
});

describe('memory host', () => {
  it('signs in with a cookie and a nonce that fit together', async () => {
    const host = createMemoryHost(seed);
    const { cookie, nonce } = host.signIn(2);
    const req = request(`theme=dark; ${cookie}; x`);
    const user = await host.currentUser(req);

    expect(user).toMatchObject({ id: 2, full_name: 'Alice Doe', roles: ['subscriber'] });
    await expect(host.nonces.verify(nonce, user as HostUser, req)).resolves.toBe(true);
  });

  it('ends a nonce with its sign-in', async () => {
    const host = createMemoryHost(seed);
    const user = await known(host, 2);
    const first = host.signIn(2);
    const second = host.signIn(2);

    await expect(host.nonces.verify(first.nonce, user, request(second.cookie))).resolves.toBe(false);
    host.signOut(first.cookie);
    await expect(host.currentUser(request(first.cookie))).resolves.toBeNull();
  });

  it('grants and revokes, adds and removes', async () => {
    const host = createMemoryHost(seed);
    host.grant(2, 'fa_view_referrals', 'fa_view_visits');
    host.revoke(2, 'fa_view_visits');
    expect([await host.can(2, 'fa_view_referrals'), await host.can(2, 'fa_view_visits')]).toEqual([
      true,
      false,
    ]);

    const added = host.addUser({ login: 'bob', password: 'secret words' });
    expect(added).toMatchObject({ id: 3, email: 'bob@example.test', display_name: 'bob', full_name: 'bob' });
    expect([
      host.checkPassword('bob', 'secret words')?.id,
      host.checkPassword('bob', 'x'),
      host.checkPassword('alice', ''),
      host.checkPassword('x', 'x'),
    ]).toEqual([3, null, null, null]);

    const { cookie } = host.signIn(2);
    host.removeUser(2);
    expect([
      await host.currentUser(request(cookie)),
      await host.users.find([2]),
      await host.can(2, 'fa_view_referrals'),
    ]).toEqual([null, [], false]);
    expect(() => host.signIn(2)).toThrow();
    expect(() => host.addUser({ id: 3, login: 'carol' })).toThrow();
  });

  it('keeps the mails it was asked to send', async () => {
    const host = createMemoryHost(seed);
    const mail = { to: 'a@b.test', subject: 's', html: '<p>h</p>', text: 'h' };
    await host.mail(mail);
    expect(host.mailbox).toEqual([mail]);
  });

  it('sets the cookie of a user who signed up', async () => {
    const host = createMemoryHost(seed);
    for (const method of ['append', 'appendHeader']) {
      const headers: string[] = [];
      await host.users.signIn(await known(host, 2), request(), {
        [method]: (_: string, value: string) => headers.push(value),
      });
      await expect(host.currentUser(request(headers[0]?.split(';')[0]))).resolves.toMatchObject({ id: 2 });
    }
  });

  it('gives new pages an address of their own', async () => {
    const { pages } = createMemoryHost(seed);
    const made = [
      await pages.create({ title: 'Partner Area', content: '' }),
      await pages.create({ title: 'Partner Area', content: '' }),
      await pages.create({ title: '日本', content: '' }),
    ];
    expect(made.map(({ link }) => link)).toEqual([
      'https://shop.test/partner-area/',
      'https://shop.test/partner-area-3/',
      'https://shop.test/page-4/',
    ]);
    expect([await pages.existsByPath('/partner-area'), await pages.existsByPath('/')]).toEqual([true, true]);
  });

  it('installs addons it was given', async () => {
    const addon = {
      title: 'A',
      description: '',
      logo: '',
      repo_slug: 'a',
      plugin_file: '',
      is_repo: true,
      is_installed: false,
      settings_url: '',
      action_text: '',
    };
    const host = createMemoryHost({ ...seed, addons: { a: addon } });
    const [admin, alice] = [await known(host, 1), await known(host, 2)];

    expect([await host.addons?.canInstall(admin), await host.addons?.canInstall(alice)]).toEqual([
      true,
      false,
    ]);
    await host.addons?.install('a');
    await expect(host.addons?.list()).resolves.toMatchObject({ a: { is_installed: true } });
    await expect(host.addons?.install('b')).rejects.toThrow();
    expect(createMemoryHost().addons).toBeUndefined();
  });
});

describe('nonces', () => {
  const subject = { userId: 2, signIn: 's1' };
  const at = (now: number, secret = 'a secret of the site') => createNonces(secret, { now: () => now });
  const tickStart = Math.floor(START / (12 * HOUR)) * 12 * HOUR;

  it.each([
    ['at once', 0, true],
    ['after 12 hours', 12 * HOUR, true],
    ['a moment before 24 hours', 24 * HOUR - 1, true],
    ['after 24 hours', 24 * HOUR, false],
    ['before it was made', -1, false],
  ])('%s', (_, later, valid) => {
    const nonce = at(tickStart).create(subject);
    expect(at(tickStart + later).verify(nonce, subject)).toBe(valid);
  });

  it('expire on time where one maker is asked again and again, also after it has seen many others', () => {
    const clock = { time: tickStart };
    const nonces = createNonces('a secret of the site', { now: () => clock.time });
    const nonce = nonces.create(subject);
    const answers = [1, 13, 23.9, 24.1].map((hours) => {
      clock.time = tickStart + hours * HOUR;
      for (let at = 0; at < 600; at += 1) nonces.verify(nonce, { userId: 2, signIn: `${hours}-${at}` });
      return [nonces.verify(nonce, subject), nonces.verify(nonce, { ...subject, userId: 3 })];
    });
    expect(answers).toEqual([[true, false], [true, false], [true, false], [false, false]]); // prettier-ignore
  });

  it('are bound to user, sign-in, action and secret', () => {
    const nonce = at(START).create(subject);
    expect(nonce).toMatch(/^[0-9a-f]{32}$/);
    expect(at(START).verify(nonce, { ...subject, userId: 3 })).toBe(false);
    expect(at(START).verify(nonce, { ...subject, signIn: 's2' })).toBe(false);
    expect(at(START, 'another secret of it').verify(nonce, subject)).toBe(false);
    expect(
      createNonces('a secret of the site', { now: () => START, action: 'form' }).verify(nonce, subject),
    ).toBe(false);
    expect(() => at(START, 'short')).toThrow(/16/);
  });
});

describe('mailers', () => {
  const mail = { to: 'a@b.test', subject: 'Hi\r\nBcc: x@y.test', html: '<p>h</p>', text: 'h' };

  it('send through a transport without line breaks in the subject', async () => {
    const sent: object[] = [];
    await transportMailer({ sendMail: async (message) => sent.push(message) }, 'shop@b.test').send({
      ...mail,
      replyTo: 'r@b.test',
    });
    expect(sent).toEqual([
      {
        ...mail,
        subject: 'Hi Bcc: x@y.test',
        from: 'shop@b.test',
        replyTo: 'r@b.test',
        headers: { 'Auto-Submitted': 'auto-generated' },
      },
    ]);
  });

  it('keep or note a mail', async () => {
    const notes: unknown[] = [];
    const note = (...entry: unknown[]): void => void notes.push(entry);
    await logMailer({ debug: note, info: note, warn: note, error: note }).send(mail);
    expect(JSON.stringify(notes)).not.toContain('Bcc');

    const mailer = new MemoryMailer();
    await mailer.send(mail);
    expect(mailer.mailbox).toEqual([mail]);
  });
});
