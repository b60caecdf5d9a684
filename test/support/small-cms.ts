import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  defineHost,
  type DefinedHost,
  type HostDefinition,
  type HostUser,
  type PageRow,
} from '../../adapters/index.js';

/** A user as this CMS keeps it: a text id, an e-mail address and one name; no login. */
export interface Person {
  readonly _id: string;
  readonly mail: string;
  readonly title: string;
  readonly role: 'admin' | 'guest';
}

/** A host that knows people by e-mail and one name and compares text exactly, as simple stores do. */
export class SmallCms {
  readonly people: Person[] = [
    { _id: 'usr-anna', mail: 'Anna@shop.test', title: 'Anna Bell Smith', role: 'admin' },
    { _id: 'usr-ben', mail: 'Ben@shop.test', title: 'Ben Doe', role: 'guest' },
    { _id: 'usr-cleo', mail: 'cleo@shop.test', title: 'Cleo', role: 'guest' },
  ];
  readonly pages: PageRow[] = [{ id: 'page-home', title: 'Home', link: '/' }];
  readonly #sessions = new Map<string, string>();
  /** How often the session was asked for. */
  asked = 0;

  signIn(id: string): string {
    const session = randomUUID();
    this.#sessions.set(session, id);
    return `sid=${session}`;
  }

  signOut(cookie: string): void {
    this.#sessions.delete(cookie.slice(4));
  }

  definition(): HostDefinition<Person, 'text'> {
    return {
      site: { url: 'https://shop.test/', name: 'Shop', timeZone: 'UTC' },
      ids: 'text',
      secret: 'a secret of the small cms',
      session: async (req) => {
        this.asked += 1;
        const token = /^Bearer (\S+)$/.exec(req.headers.authorization ?? '')?.[1];
        if (token !== undefined) {
          const user = this.people.find(({ _id }) => _id === token);
          return user && { user, signIn: token, ambient: false };
        }
        const session = /sid=([\w-]+)/.exec(req.headers.cookie ?? '')?.[1] ?? '';
        const user = this.people.find(({ _id }) => _id === this.#sessions.get(session));
        return user && { user, signIn: session };
      },
      user: ({ _id, mail, title }) => ({ id: _id, email: mail, name: title }),
      rights: ({ role }) => (role === 'admin' ? 'administrator' : ['fa_view_visits']),
      users: {
        byIds: async (ids) => this.people.filter(({ _id }) => ids.includes(_id)),
        // 0 means all to this one
        search: (text, limit) =>
          this.people
            .filter(({ mail, title }) => `${mail} ${title}`.toLowerCase().includes(text.toLowerCase()))
            .slice(0, limit || undefined),
        byEmail: async (email) => this.people.find(({ mail }) => mail === email),
        create: ({ email, first_name, last_name }) => {
          if (this.people.some(({ mail }) => mail === email)) throw new Error('taken');
          const person: Person = {
            _id: `usr-${randomUUID()}`,
            mail: email,
            title: `${first_name} ${last_name}`,
            role: 'guest',
          };
          this.people.push(person);
          return person;
        },
        update: (person, { first_name, last_name }) => {
          const changed = { ...person, title: `${first_name} ${last_name}` };
          this.people[this.people.indexOf(person)] = changed;
          return changed;
        },
        signIn: (person, _req, res) => {
          (res as { appendHeader(name: string, value: string): void }).appendHeader(
            'Set-Cookie',
            this.signIn(person._id),
          );
        },
      },
      pages: {
        list: async ({ search, limit }) =>
          this.pages
            .filter(({ title }) => title.toLowerCase().includes(search.toLowerCase()))
            .slice(0, limit || undefined),
        get: async (id) => this.pages.find((page) => page.id === id),
        create: async ({ title }) => {
          const page = { id: `page-${randomUUID()}`, title, link: `/p/${this.pages.length}` };
          this.pages.push(page);
          return page;
        },
        existsByPath: (path) => this.pages.some(({ link }) => link === path),
      },
      userUrl: ({ _id }) => `https://shop.test/admin/users/${_id}`,
    };
  }

  host(): DefinedHost<'text'> {
    return defineHost(this.definition());
  }
}

/** A request as node hands it to a host. */
export const requestWith = (headers: IncomingMessage['headers']): IncomingMessage =>
  ({ headers }) as IncomingMessage;

/** The user behind an id of the host. */
export async function known(host: DefinedHost<'text'>, id: string): Promise<HostUser> {
  const user = await host.userOf(id);
  if (user === null) throw new Error('no such user');
  return user;
}
