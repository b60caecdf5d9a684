// The people of Directus, for the affiliate program: its users, its tokens, its administrators.
import { createHash } from 'node:crypto';
import { defineHost } from 'affiliate-service/adapters';

const NAMES = ['email', 'first_name', 'last_name'];
const FIELDS = ['id', ...NAMES, 'policies.policy.admin_access', 'role.policies.policy.admin_access'];

export function directusHost({ services, database, getSchema, env }) {
  const people = async () => new services.UsersService({ schema: await getSchema(), knex: database });
  const rows = async (filter, limit) => (await people()).readByQuery({ filter, limit, fields: FIELDS });
  const byIds = (ids) => rows({ id: { _in: ids }, status: { _eq: 'active' } }, ids.length);
  const url = env.PUBLIC_URL;
  return defineHost({
    site: { url, name: env.SHOP_NAME ?? 'Shop', timeZone: 'Europe/Berlin', loginUrl: `${url}/login` },
    ids: 'text',
    secret: env.SECRET,
    // `authenticate` of Directus stood before us: it read the cookie or the header.
    session: async (req) => {
      const id = req.accountability?.user;
      const [user] = id ? await byIds([id]) : [];
      const signIn = createHash('sha256').update(String(req.token)).digest('hex');
      return user && { user, signIn, ambient: req.headers.authorization === undefined };
    },
    // On the terminal until Directus has a mail server.
    mail: async ({ to, subject, html, text }) => {
      if (!env.EMAIL_SMTP_HOST) return console.log(`Mail to ${to}: ${subject}\n${text}`);
      const mails = new services.MailService({ schema: await getSchema(), knex: database });
      return mails.send({ to, subject, html, text });
    },
    user: ({ id, email, first_name, last_name }) => ({ id, email, first_name, last_name }),
    rights: ({ policies, role }) =>
      [...(policies ?? []), ...(role?.policies ?? [])].some(({ policy }) => policy?.admin_access === true)
        ? 'administrator'
        : [],
    users: {
      byIds,
      // Each word in one of the names: people search by full names too.
      search: (text, limit) =>
        rows(
          {
            _and: text
              .split(/\s+/)
              .filter(Boolean)
              .map((word) => ({ _or: NAMES.map((field) => ({ [field]: { _icontains: word } })) })),
          },
          limit,
        ),
      byEmail: async (email) => (await rows({ email: { _eq: email } }, 1))[0],
      create: async ({ email, password, first_name, last_name }) => {
        const id = await (await people()).createOne({ email, password, first_name, last_name });
        return (await byIds([id]))[0];
      },
      update: async ({ id }, { first_name, last_name }) => {
        await (await people()).updateOne(id, { first_name, last_name });
        return (await byIds([id]))[0];
      },
    },
  });
}
