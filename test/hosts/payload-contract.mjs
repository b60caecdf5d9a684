// The contract suite over HTTP.
import { capture, runContract } from './contract.mjs';

const PASSWORD = 'Correct-horse-battery-7';

export function contract(host, app, payload) {
  app.use('/contract-request', capture);
  app.use('/contract', async (req, res) => {
    const url = `http://127.0.0.1:${req.socket.localPort}`;
    const results = await runContract({
      host,
      url,
      users: {
        admin: await host.users.findByEmail('admin@shop.test'),
        user: await host.users.findByEmail('alice@shop.test'),
      },
      signIn: async (which) => {
        const answer = await fetch(`${url}/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            email: `${which === 'admin' ? 'admin' : 'alice'}@shop.test`,
            password: PASSWORD,
          }),
        });
        return answer.headers
          .getSetCookie()
          .map((line) => line.split(';')[0])
          .join('; ');
      },
      signOut: async (cookie) => {
        // What Payload's own log-out operation does: the session is taken off the user.
        const { user } = await payload.auth({ headers: new Headers({ cookie }) });
        await payload.update({
          collection: 'users',
          id: user.id,
          data: { sessions: (user.sessions ?? []).filter(({ id }) => id !== user._sid) },
        });
      },
      clean: async () => {
        await payload.delete({
          collection: 'users',
          where: { email: { equals: 'contract-user@example.com' } },
        });
        await payload.update({
          collection: 'users',
          where: { email: { equals: 'alice@shop.test' } },
          data: { name: 'Alice Bell' },
        });
      },
    });
    res.json(results);
  });
}
