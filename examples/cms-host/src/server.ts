import { enableCompileCache } from 'node:module';
import { readEnvironment } from './environment.js';
import { ACCOUNTS } from './seed.js';

enableCompileCache(); // before the service is loaded, so that Node keeps what it compiles of it
const { startHost } = await import('./start.js');

const host = await startHost(readEnvironment(process.env));

const accounts = ACCOUNTS.map(
  ({ login, about }) => `    ${login.padEnd(8)} ${login.padEnd(8)} ${about}`,
).join('\n');
process.stdout.write(`Fernway is open at ${host.url}

  Accounts (login, password):
${accounts}

  Affiliate link   ${host.url}/?ref=alice
  Console          ${host.url}/affiliate-admin
  Portal           ${host.url}/partners
  Orders           ${host.url}/admin/orders
  Payer            ${host.url}/admin/payer
  Mails            ${host.url}/mails
  REST interface   ${host.url}/docs
`);

let closing = false;
const close = (): void => {
  if (closing) process.exit(1);
  closing = true;
  host.close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
};
process.on('SIGINT', close);
process.on('SIGTERM', close);
