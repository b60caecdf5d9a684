import { existsSync } from 'node:fs';
import { it } from 'node:test';
import { createMemoryHost } from '../../adapters/memory-host.js';
import { createAffiliateService } from '../../src/index.js';

// A program that never closes its service: it has to end by itself.
const [use = '', database = '{}', file = ''] = process.argv.slice(2);
const service = createAffiliateService(createMemoryHost({ users: [{ id: 2, login: 'alice' }] }), {
  database: JSON.parse(database) as never,
  secret: 'a secret that is long enough for the tests',
  logger: { debug() {}, info() {}, warn() {}, error: (message) => process.stderr.write(`${message}\n`) },
});

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

if (use === 'created') say(`a file exists: ${existsSync(file)}`);
if (use === 'used') {
  if (!(await service.affiliates.findByUser(2)))
    await service.affiliates.create({ user_id: 2, status: 'active' });
  say(`affiliates: ${(await service.affiliates.list()).total}`);
}
if (use === 'mounted') {
  service.mount({ use: () => {} });
  await service.ready();
  say('mounted');
}
if (use === 'disposed') {
  {
    await using disposed = service;
    await disposed.ready();
  }
  await service.verify().catch((error: Error) => say(error.message));
}
if (use === 'tested')
  void it('fails', async () => {
    await service.ready();
    throw new Error('the assertion that failed');
  });
