// The contract suite over HTTP.
import { capture, runContract } from './contract.mjs';

const PASSWORD = 'Correct-horse-battery-7';

export function contract(service, host, app, context) {
  app.use('/contract-request', capture);
  app.use('/contract', async (req, res) => {
    const url = `http://127.0.0.1:${req.socket.localPort}`;
    const users = context.sudo().db.User;
    const results = await runContract({
      host,
      url,
      users: {
        admin: await host.users.findByEmail('admin@shop.test'),
        user: await host.users.findByEmail('alice@shop.test'),
      },
      signIn: async (which) => {
        const answer = await fetch(`${url}/api/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            query:
              'mutation ($e: String!, $p: String!) { authenticateUserWithPassword(email: $e, password: $p) { __typename } }',
            variables: { e: which === 'admin' ? 'admin@shop.test' : 'alice@shop.test', p: PASSWORD },
          }),
        });
        return answer.headers
          .getSetCookie()
          .map((line) => line.split(';')[0])
          .join('; ');
      },
      clean: async () => {
        for (const user of await users.findMany({
          where: { email: { equals: 'contract-user@example.com' } },
        }))
          await users.deleteOne({ where: { id: user.id } });
        const [alice] = await users.findMany({ where: { email: { equals: 'alice@shop.test' } } });
        await users.updateOne({ where: { id: alice.id }, data: { name: 'Alice Bell' } });
      },
    });
    res.setHeader('Content-Type', 'application/json').end(JSON.stringify(results));
  });
}
