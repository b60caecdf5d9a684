// One program for the whole process, started by `instrumentation.js`: pages, route handlers and the proxy are
// bundles of their own.
export const program = () => globalThis.affiliateProgram;

export async function startProgram() {
  const [{ join }, { getPayload }, { payloadAffiliates }, { default: config }] = await Promise.all([
    import('node:path'),
    import('payload'),
    import('affiliate-service/payload'),
    import('./payload.config.js'),
  ]);
  const url = process.env.BASE_URL ?? 'http://localhost:3000';
  return payloadAffiliates(await getPayload({ config }), {
    site: { url, name: 'Shop', timeZone: 'Europe/Berlin', loginUrl: `${url}/login` },
    isAdministrator: (user) => user.role === 'admin',
    // Who runs the program signs in at the admin, and finds the console inside.
    console: { path: '/admin/affiliates', loginUrl: '/admin/login' },
    // Mails, and the codes in them, on the terminal; leave it out once Payload has an email adapter.
    host: { mail: async ({ to, subject, text }) => console.log(`Mail to ${to}: ${subject}\n${text}`) },
    options: {
      database: {
        client: 'better-sqlite3',
        connection: join(process.env.DATA_DIR ?? '.', 'affiliates.sqlite'),
      },
    },
  });
}

/** How many proxies stand before Next: only what they write into X-Forwarded-For is believed. */
const visitor = { proxies: Number(process.env.PROXIES ?? 1) };

/** For route handlers that the program answers; with `page`, for the proxy: counts the click, then goes on. */
export const answer = async (request, page) =>
  (await program()).handle(request, typeof page === 'function' ? page : undefined, visitor);
