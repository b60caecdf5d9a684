// The affiliate program as a module: inject it with
// `@Inject(AFFILIATES) private readonly affiliates: AffiliateService`.
import { join } from 'node:path';
import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { createAffiliateService, type AffiliateService } from 'affiliate-service';
import { defineHost } from 'affiliate-service/adapters';
import { byEmail, byIds, create, search, sessionOf } from './people.js';

export const AFFILIATES = Symbol('affiliates');

function start(): AffiliateService {
  const secret = process.env.SECRET ?? 'only while trying it out, 32 letters';
  const url = process.env.BASE_URL ?? 'http://localhost:3000';
  const host = defineHost({
    site: { url, name: 'Shop', timeZone: 'Europe/Berlin', loginUrl: `${url}/login` },
    ids: 'text',
    secret,
    session: sessionOf,
    user: ({ id, email, name }) => ({ id, email, name }),
    rights: ({ isAdmin }) => (isAdmin ? 'administrator' : []),
    users: { byIds, search, byEmail, create },
    mail: async ({ to, subject, text }) => console.log(`Mail to ${to}: ${subject}\n${text}`),
  });
  const connection = join(process.env.DATA_DIR ?? '.', 'affiliates.sqlite');
  return createAffiliateService(host, { secret, database: { client: 'better-sqlite3', connection } });
}

@Global()
@Module({ providers: [{ provide: AFFILIATES, useFactory: start }], exports: [AFFILIATES] })
export class AffiliatesModule implements OnApplicationShutdown {
  constructor(@Inject(AFFILIATES) private readonly affiliates: AffiliateService) {}

  onApplicationShutdown(): Promise<void> {
    return this.affiliates.close();
  }
}
