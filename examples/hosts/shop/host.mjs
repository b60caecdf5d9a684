import { defineHost } from 'affiliate-service/adapters';
import { byEmail, byIds, create, search, sessionOf } from './people.mjs';

const url = process.env.BASE_URL ?? 'http://localhost:3000';

export const host = defineHost({
  site: { url, name: 'Shop', timeZone: 'Europe/Berlin', loginUrl: `${url}/login` },
  ids: 'text',
  secret: process.env.SECRET ?? 'only while trying it out',
  session: sessionOf,
  user: ({ id, email, name }) => ({ id, email, name }),
  rights: ({ isAdmin }) => (isAdmin ? 'administrator' : []),
  users: { byIds, search, byEmail, create },
  mail: async ({ to, subject, text }) => console.log(`Mail to ${to}: ${subject}\n${text}`),
});
