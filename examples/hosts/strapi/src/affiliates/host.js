// The people of Strapi, for the affiliate program: users of the plugin "users-permissions" and their sessions.
const { defineHost } = require('affiliate-service/adapters');

const COOKIE = /(?:^|; )strapi_up_refresh=([^;]+)/;
const NAMES = ['email', 'username'];

exports.strapiHost = (strapi) => {
  const plugin = (service) => strapi.plugin('users-permissions').service(service);
  const people = strapi.db.query('plugin::users-permissions.user');
  const rows = (where, limit) => people.findMany({ where, limit, populate: ['role'] });
  const byIds = (ids) => rows({ id: { $in: ids }, blocked: { $ne: true } }, ids.length);
  const url = strapi.config.get('server.url');

  const ofCookie = async (token) => {
    const { isValid, userId, sessionId } = await strapi
      .sessionManager('users-permissions')
      .validateRefreshToken(token);
    return isValid && { id: userId, sessionId, ambient: true };
  };
  // A bearer may also be a key of the program, which Strapi does not know.
  const ofBearer = async (token) => {
    const known = await plugin('jwt')
      .verify(token)
      .catch(() => false);
    return known && { ...known, ambient: false };
  };

  return defineHost({
    site: { url, name: 'Shop', timeZone: 'Europe/Berlin', loginUrl: `${url}/login` },
    ids: 'integer',
    secret: strapi.config.get('plugin::users-permissions.jwtSecret'),
    session: async ({ headers }) => {
      const cookie = COOKIE.exec(headers.cookie ?? '')?.[1];
      const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
      const known = (cookie && (await ofCookie(cookie))) || (bearer && (await ofBearer(bearer)));
      if (!known) return null;
      const [user] = await byIds([known.id]);
      return user && { user, signIn: String(known.sessionId), ambient: known.ambient };
    },
    user: ({ id, email, username, createdAt }) => ({ id, email, login: username, registered_at: createdAt }),
    rights: ({ role }) => (role?.type === 'affiliate-manager' ? 'administrator' : []),
    users: {
      byIds,
      search: (text, limit) => rows({ $or: NAMES.map((name) => ({ [name]: { $containsi: text } })) }, limit),
      byEmail: async (email) => (await rows({ email }, 1))[0],
      byLogin: async (username) => (await rows({ username }, 1))[0],
      create: async ({ login, email, password }) => {
        // The service of the plugin lets two accounts have one address.
        if ((await people.count({ where: { $or: [{ email }, { username: login }] } })) > 0)
          throw new Error('This account exists.');
        const role = await strapi.db
          .query('plugin::users-permissions.role')
          .findOne({ where: { type: 'authenticated' } });
        const account = { username: login, email, password, role: role.id, provider: 'local' };
        return plugin('user').add({ ...account, confirmed: true });
      },
    },
    // Where Strapi has no e-mail provider yet: the mails, and the codes in them, on the terminal.
    mail: async ({ to, subject, text }) => strapi.log.info(`Mail to ${to}: ${subject}\n${text}`),
  });
};
