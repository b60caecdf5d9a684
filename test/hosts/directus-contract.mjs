// The contract suite over HTTP.
import { capture, runContract } from './contract.mjs';

const PASSWORD = 'Correct-horse-battery-7';

export function contract(host, app, { services, database, getSchema }) {
  app.use('/contract-request', capture);
  app.use('/contract', async (req, res) => {
    const url = `http://127.0.0.1:${req.socket.localPort}`;
    const people = new services.UsersService({ schema: await getSchema(), knex: database });
    const idsOf = (email) => people.getKeysByQuery({ filter: { email: { _eq: email } } });
    const results = await runContract({
      host,
      url,
      users: {
        admin: await host.users.findByEmail('admin@shop.example.com'),
        user: await host.users.findByEmail('alice@shop.example.com'),
      },
      signIn: async (which) => {
        const answer = await fetch(`${url}/auth/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            email: `${which === 'admin' ? 'admin' : 'alice'}@shop.example.com`,
            password: PASSWORD,
            mode: 'session',
          }),
        });
        return answer.headers
          .getSetCookie()
          .map((line) => line.split(';')[0])
          .join('; ');
      },
      // No `signOut`: Directus itself answers 401 to a session that ended.
      clean: async () => {
        const made = await idsOf('contract-user@example.com');
        if (made.length > 0) await people.deleteMany(made);
        await people.updateMany(await idsOf('alice@shop.example.com'), {
          first_name: 'Alice',
          last_name: 'Bell',
        });
      },
    });
    res.json(results);
  });
}
