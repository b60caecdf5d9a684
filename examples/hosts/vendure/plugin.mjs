// Users, sessions and events of a Vendure 3 server; `plugins: [affiliates({ url, name, loginUrl, secret, database })]`.
import { Inject } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import {
  Administrator,
  Customer,
  EventBus,
  Logger,
  OrderStateTransitionEvent,
  PluginCommonModule,
  RefundStateTransitionEvent,
  SessionService,
  TransactionalConnection,
  VendurePlugin,
} from '@vendure/core';
import { createAffiliateService } from 'affiliate-service';
import { defineHost } from 'affiliate-service/adapters';
import { consoleApp, portalApp } from 'affiliate-service/console';
import { orderChanged, refundChanged, withAffiliates } from './vendure.mjs';

const NAMES = ['emailAddress', 'firstName', 'lastName'];

const logMail = async ({ to, subject, text }) => Logger.info(`Mail to ${to}: ${subject}\n${text}`);

/** Customers with an account, and administrators. `vendure(Class)` is what Vendure injects for the class. */
function vendureHost(vendure, { url, name, loginUrl, secret, mail = logMail }) {
  const rows = (entity, where, values, limit) =>
    vendure(TransactionalConnection)
      .rawConnection.getRepository(entity)
      .createQueryBuilder('person')
      .innerJoinAndSelect('person.user', 'user')
      .leftJoinAndSelect('user.roles', 'role')
      .where('person.deletedAt IS NULL')
      .andWhere(where, values)
      .take(limit)
      .getMany();
  const find = async (...query) => [
    ...(await rows(Administrator, ...query)),
    ...(await rows(Customer, ...query)),
  ];
  const byIds = async (ids) => (ids.length > 0 ? find('user.id IN (:...ids)', { ids }, ids.length) : []);
  const { hostname } = new URL(url);

  return defineHost({
    site: { url, name, timeZone: 'UTC', loginUrl },
    ids: 'integer', // 'text' with Vendure's UuidIdStrategy
    secret,
    session: async (req) => {
      const bearer = /^Bearer (.+)$/i.exec(req.headers.authorization ?? '')?.[1];
      const token = bearer ?? req.session?.token;
      const known = token && (await vendure(SessionService).getSessionFromToken(token));
      const [user] = known?.user ? await byIds([known.user.id]) : [];
      return user && { user, signIn: String(known.id), ambient: bearer === undefined };
    },
    user: ({ user, emailAddress, firstName, lastName, createdAt }) => ({
      id: user.id,
      // Vendure's first administrator has a login and no address
      email: emailAddress.includes('@') ? emailAddress : `${emailAddress}@${hostname}`,
      first_name: firstName,
      last_name: lastName,
      registered_at: createdAt,
    }),
    rights: ({ user }) =>
      user.roles.some(({ permissions }) => permissions.includes('SuperAdmin')) ? 'administrator' : [],
    users: {
      byIds,
      search: async (text, limit) => {
        const like = NAMES.map((name) => `LOWER(person.${name}) LIKE :text`).join(' OR ');
        const found = await find(`(${like})`, { text: `%${text.toLowerCase()}%` }, limit);
        return found.slice(0, limit);
      },
      byEmail: async (email) =>
        (await find('LOWER(person.emailAddress) = :email', { email: email.toLowerCase() }, 1))[0],
    },
    mail,
  });
}

/** @param {{ url: string, name: string, loginUrl: string, secret: string, database: any, mail?: any }} options */
export function affiliates({ database, ...site }) {
  let injector;
  const host = vendureHost((provider) => injector.get(provider, { strict: false }), site);
  const service = createAffiliateService(host, { database, secret: site.secret });
  const pages = {
    '/affiliate-admin': consoleApp(service, { loginUrl: '/dashboard/login' }),
    '/partners': portalApp(service, { path: '/partners', loginUrl: site.loginUrl }),
  };

  class AffiliatesPlugin {
    static service = service;

    constructor(moduleRef, eventBus) {
      injector = moduleRef;
      // One after the other, so that a payment never overtakes its order.
      let last = Promise.resolve();
      const handle = (change) => (event) => {
        last = last
          .then(() => change(service, event))
          .catch((error) => Logger.error(error.message, 'Affiliates', error.stack));
      };
      eventBus.ofType(OrderStateTransitionEvent).subscribe(handle(orderChanged));
      eventBus.ofType(RefundStateTransitionEvent).subscribe(handle(refundChanged));
    }

    async onApplicationBootstrap() {
      await service.ready();
    }

    async onApplicationShutdown() {
      await service.close();
    }
  }
  Inject(ModuleRef)(AffiliatesPlugin, undefined, 0);
  Inject(EventBus)(AffiliatesPlugin, undefined, 1);
  VendurePlugin({
    compatibility: '^3.0.0',
    imports: [PluginCommonModule],
    configuration: (config) => withAffiliates(config, service, pages),
  })(AffiliatesPlugin);
  return AffiliatesPlugin;
}
