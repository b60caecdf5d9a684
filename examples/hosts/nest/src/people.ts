// Stands for your accounts and sessions.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Injectable, Module } from '@nestjs/common';
import type { NewHostUser } from 'affiliate-service/adapters';

export interface User {
  id: string;
  email: string;
  name: string;
  isAdmin: boolean;
  password: string;
}

const password = 'Correct-horse-battery-7';

@Injectable()
export class People {
  private readonly list: User[] = [
    { id: 'u1', email: 'admin@shop.test', name: 'Admin', isAdmin: true, password },
    { id: 'u2', email: 'alice@shop.test', name: 'Alice Bell', isAdmin: false, password },
  ];
  private readonly sessions = new Map<string, User>();

  async byIds(ids: readonly string[]) {
    return this.list.filter(({ id }) => ids.includes(id));
  }

  async byEmail(email: string) {
    return this.list.find((user) => user.email === email);
  }

  async search(text: string, limit: number) {
    return this.list
      .filter(({ email, name }) => `${email} ${name}`.toLowerCase().includes(text.toLowerCase()))
      .slice(0, limit);
  }

  /** A new account, for people who apply as affiliates. */
  async create({ email, first_name, last_name, password }: NewHostUser) {
    const name = `${first_name} ${last_name}`;
    const user: User = { id: randomUUID(), email, name, isAdmin: false, password };
    this.list.push(user);
    return user;
  }

  /** The cookie of a new sign-in, or nothing for a wrong password. */
  signIn({ email, password }: { email: string; password: string }) {
    const user = this.list.find((each) => each.email === email && each.password === password);
    if (!user) return undefined;
    const session = randomUUID();
    this.sessions.set(session, user);
    return `sid=${session}; Path=/; HttpOnly; SameSite=Lax`;
  }

  async sessionOf(req: IncomingMessage) {
    const id = /(?:^|; )sid=([\w-]+)/.exec(req.headers.cookie ?? '')?.[1] ?? '';
    const user = this.sessions.get(id);
    return user && { user, signIn: id };
  }
}

@Module({ providers: [People], exports: [People] })
export class PeopleModule {}
