// The contract suite inside a CMS that runs. `capture` is mounted at /contract-request:
// a request that passed the CMS's own sessions is kept here as it is, so that the adapter sees what it sees
// in production. `runContract` goes through the rules one after the other.
import { HOST_CHECKS, whySkipped } from 'affiliate-service/adapters/contract';

const kept = new Map();

export const capture = (req, res) => {
  const id = new URL(req.originalUrl ?? req.url, 'http://x').searchParams.get('id');
  kept.set(id, req);
  res.end('kept');
};

export async function captured(url, cookie) {
  const id = String(kept.size + 1);
  const answer = await fetch(`${url}/contract-request?id=${id}`, { headers: cookie ? { cookie } : {} });
  if (answer.status !== 200) throw new Error(`the request was answered ${answer.status}`);
  return kept.get(id);
}

/**
 * `users`: { admin, user } as the library knows them; `signIn(which)` → cookie of a new sign-in;
 * `clean()` between two rules.
 */
export async function runContract({ host, url, users, signIn, signOut, clean }) {
  const results = [];
  const whichOf = (user) => (user.id === users.admin.id ? 'admin' : 'user');
  for (const check of HOST_CHECKS) {
    const cookies = new Map();
    const fixture = {
      host,
      ...users,
      unknownId: 900_000,
      request: async (user) => {
        const cookie = user === null ? '' : await signIn(whichOf(user));
        const req = await captured(url, cookie);
        cookies.set(req, cookie);
        return req;
      },
      ...(signOut && {
        signOut: async (req) => {
          await signOut(cookies.get(req));
          return captured(url, cookies.get(req));
        },
      }),
    };
    const skipped = whySkipped(check, fixture);
    if (skipped !== null) {
      results.push({ rule: check.title, result: 'skipped', why: skipped });
      continue;
    }
    try {
      await check.run(fixture);
      results.push({ rule: check.title, result: 'passed' });
    } catch (error) {
      results.push({
        rule: check.title,
        result: 'failed',
        why: String(error?.message ?? error).slice(0, 500),
      });
    } finally {
      await clean?.();
    }
  }
  return results;
}
