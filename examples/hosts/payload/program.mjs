// The affiliate program of this site. In Next, a route handler does the same: see docs/hosts.md.
import { join } from 'node:path';
import { payloadAffiliates } from 'affiliate-service/payload';

export const program = { service: null };

export function startProgram(payload, url) {
  return Object.assign(
    program,
    payloadAffiliates(payload, {
      site: { url, name: 'Shop', timeZone: 'Europe/Berlin', loginUrl: `${url}/login` },
      isAdministrator: (user) => user.role === 'admin',
      // Mails, and the codes in them, on the terminal; leave it out once Payload has an email adapter.
      host: { mail: async ({ to, subject, text }) => console.log(`Mail to ${to}: ${subject}\n${text}`) },
      options: {
        database: {
          client: 'better-sqlite3',
          connection: join(process.env.DATA_DIR ?? '.', 'affiliates.sqlite'),
        },
      },
    }),
  );
}
