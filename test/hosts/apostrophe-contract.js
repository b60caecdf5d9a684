// A module of the site in the test: people to sign in as, and the contract suite over HTTP.
const PASSWORD = 'Correct-horse-battery-7';

module.exports = {
  options: { csrfExceptions: ['/contract-request'] },
  tasks(self) {
    return {
      people: {
        usage: 'Makes the people of the test.',
        async task() {
          const req = self.apos.task.getReq();
          for (const [username, role] of [
            ['admin', 'admin'],
            ['alice', 'guest'],
          ])
            await self.apos.user.insert(req, {
              ...self.apos.user.newInstance(),
              username,
              title: username === 'alice' ? 'Alice Bell' : 'Admin',
              email: `${username}@shop.test`,
              password: PASSWORD,
              role,
            });
        },
      },
    };
  },
  routes(self) {
    return {
      get: {
        async '/contract-request'(req, res) {
          (await import('../../contract.mjs')).capture(req, res);
        },
        async '/contract'(req, res) {
          const { runContract } = await import('../../contract.mjs');
          const { host, service } = self.apos.affiliates;
          await service.ready();
          const url = `http://127.0.0.1:${req.socket.localPort}`;
          const find = async (name) => host.users.findByEmail(`${name}@shop.test`);
          const cookieOf = (answer, old = '') =>
            [...old.split('; '), ...answer.headers.getSetCookie().map((line) => line.split(';')[0])]
              .filter(Boolean)
              .join('; ');
          const results = await runContract({
            host,
            url,
            users: { admin: await find('admin'), user: await find('alice') },
            signIn: async (which) => {
              const page = cookieOf(await fetch(`${url}/login`));
              const answer = await fetch(`${url}/api/v1/@apostrophecms/login/login`, {
                method: 'POST',
                headers: { cookie: page, 'content-type': 'application/json' },
                body: JSON.stringify({
                  username: which === 'admin' ? 'admin' : 'alice',
                  password: PASSWORD,
                  session: true,
                }),
              });
              if (answer.status !== 200) throw new Error(`sign-in: ${answer.status} ${await answer.text()}`);
              return cookieOf(answer, page);
            },
            signOut: async (cookie) => {
              await fetch(`${url}/api/v1/@apostrophecms/login/logout`, {
                method: 'POST',
                headers: { cookie },
              });
            },
            clean: async () => {
              const known = await find('contract-user').catch(() => null);
              await self.apos.doc.db.deleteMany({ email: 'contract-user@example.com' });
              const safe = self.apos.user.safe ?? (await self.apos.db.collection('aposUsersSafe'));
              await safe.deleteMany({ email: 'contract-user@example.com' });
              await safe.deleteMany({ username: 'contract-user' });
              void known;
              const alice = await self.apos.user
                .find(self.apos.task.getReq(), { username: 'alice' })
                .toObject();
              await self.apos.user.update(self.apos.task.getReq(), { ...alice, title: 'Alice Bell' });
            },
          });
          return res.send(results);
        },
      },
    };
  },
};
