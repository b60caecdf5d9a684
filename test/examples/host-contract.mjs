// The example's host adapter against the suite every adapter must pass:
// node --test test/examples/host-contract.mjs
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { hostContract } from 'affiliate-service/adapters/contract';
import { createCmsHost } from '../../examples/cms-host/dist/host.js';
import { openStore } from '../../examples/cms-host/dist/store/open.js';
import { Mails } from '../../examples/cms-host/dist/store/mails.js';
import { Pages } from '../../examples/cms-host/dist/store/pages.js';
import { Users } from '../../examples/cms-host/dist/store/users.js';

const SITE_URL = 'http://localhost:3000';

hostContract({ describe, it }, 'the example CMS', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cms-host-'));
  const db = openStore(dataDir);
  const users = new Users(db, SITE_URL);
  const host = createCmsHost({
    db,
    users,
    pages: new Pages(db, SITE_URL),
    mails: new Mails(db),
    siteUrl: SITE_URL,
  });
  const make = (login, role) =>
    users.create({
      login,
      email: `${login}@example.test`,
      password: login,
      first_name: login,
      last_name: 'Doe',
      role,
    });
  const [admin, user] = [await make('ada', 'administrator'), await make('ben', 'subscriber')];
  return {
    host,
    admin,
    user,
    unknownId: 999_999,
    request: (who) => ({ headers: who === null ? {} : { cookie: `cms_session=${users.signIn(who.id)}` } }),
    close: () => {
      db.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
});
