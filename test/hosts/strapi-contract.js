// The contract suite over HTTP.
const PASSWORD = 'Correct-horse-battery-7';

exports.contract = async (strapi, host) => {
  const { capture, runContract } = await import('./contract.mjs');
  const people = strapi.db.query('plugin::users-permissions.user');
  const sessions = strapi.sessionManager('users-permissions');
  const cookieOf = (answer) =>
    answer.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
  const run = async (url) =>
    runContract({
      host,
      url,
      users: {
        admin: await host.users.findByEmail('admin@shop.test'),
        user: await host.users.findByEmail('alice@shop.test'),
      },
      signIn: async (which) => {
        const answer = await fetch(`${url}/api/auth/local`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            identifier: which === 'admin' ? 'admin@shop.test' : 'alice@shop.test',
            password: PASSWORD,
          }),
        });
        if (answer.status !== 200) throw new Error(`sign-in: ${answer.status} ${await answer.text()}`);
        return cookieOf(answer);
      },
      signOut: async (cookie) => {
        const token = /strapi_up_refresh=([^;]+)/.exec(cookie)[1];
        const { userId, sessionId } = await sessions.validateRefreshToken(token);
        await sessions.revokeSessionById(userId, sessionId);
      },
      clean: async () => {
        await people.deleteMany({ where: { email: 'contract-user@example.com' } });
      },
    });
  const config = { auth: false };
  strapi.server.routes([
    {
      method: 'GET',
      path: '/contract-request',
      handler: (ctx) => {
        ctx.respond = false;
        ctx.res.statusCode = 200;
        capture(ctx.req, ctx.res);
      },
      config,
    },
    {
      method: 'GET',
      path: '/contract',
      handler: async (ctx) => {
        ctx.body = await run(`http://127.0.0.1:${ctx.req.socket.localPort}`);
      },
      config,
    },
  ]);
};
