// The affiliate program as a module. It is injected with
// `@Inject(AFFILIATES) private readonly affiliates: AffiliateService`.
import { join } from 'node:path';
import { defineHost } from 'affiliate-service/adapters';
import { AffiliatesModule } from 'affiliate-service/nest';
import { People, PeopleModule } from './people.js';

export const Affiliates = AffiliatesModule.forRootAsync({
  imports: [PeopleModule],
  inject: [People],
  useFactory: (people: People) => {
    const secret = process.env.SECRET ?? 'only while trying it out, 32 letters';
    const url = process.env.BASE_URL ?? 'http://localhost:3000';
    const connection = join(process.env.DATA_DIR ?? '.', 'affiliates.sqlite');
    return {
      host: defineHost({
        site: { url, name: 'Shop', timeZone: 'Europe/Berlin', loginUrl: `${url}/login` },
        ids: 'text',
        secret,
        session: (req) => people.sessionOf(req),
        user: ({ id, email, name }) => ({ id, email, name }),
        rights: ({ isAdmin }) => (isAdmin ? 'administrator' : []),
        users: {
          byIds: (ids) => people.byIds(ids),
          search: (text, limit) => people.search(text, limit),
          byEmail: (email) => people.byEmail(email),
          create: (form) => people.create(form),
        },
        mail: async ({ to, subject, text }) => console.log(`Mail to ${to}: ${subject}\n${text}`),
      }),
      options: { secret, database: { client: 'better-sqlite3', connection } },
      loginUrl: '/login',
    };
  },
});
