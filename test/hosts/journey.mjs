// From a link to a commission that is paid, over HTTP, with the sign-in of the CMS; then sign-up and portal.
import assert from 'node:assert/strict';
import { expectOk, Visitor } from './visitor.mjs';

/** `signIn(visitor, email, password)` uses the CMS's own address for it. */
export async function journey({
  url,
  base,
  console: consolePath = '/affiliate-admin',
  admin,
  affiliate: person = 'alice@shop.test',
  signIn,
  form = false,
  log,
}) {
  const manager = new Visitor(url, base);
  assert.equal((await manager.send('GET', `${base}/affiliates`)).status, 401, 'visitors see nothing');
  await signIn(manager, admin);
  assert.equal((await manager.send('GET', `${base}/affiliates`)).status, 401, 'a cookie alone is not enough');
  log('signed in with the account of the CMS');

  const alice = new Visitor(url, base);
  const people = (await manager.rest('GET', '/settings/options/users?search=alice')).users;
  const aliceId = people[0]?.ID;
  assert.ok(aliceId > 0, 'the CMS knows Alice');
  const { affiliate } = await manager.rest('POST', '/affiliates', {
    user_id: aliceId,
    status: 'active',
    rate_type: 'default',
    payment_email: 'alice@bank.test',
  });
  log(`made affiliate ${affiliate.id}`);

  const buyer = new Visitor(url, base);
  const page = await buyer.open(`/?ref=${affiliate.id}`);
  assert.ok(page.status < 400, `the page of the CMS answers ${page.status}`);
  assert.ok(
    [...buyer.cookies.keys()].some((name) => name.startsWith('f_aff')),
    'the link left its cookie',
  );
  const bought = await buyer.send('POST', '/buy', { [form ? 'form' : 'body']: { email: 'jo@buyer.test' } });
  assert.ok(bought.status < 400, `the shop answers ${bought.status}: ${bought.text.slice(0, 200)}`);
  assert.doesNotMatch(bought.text, /affiliate|commission/i, 'the shopper learns nothing of the commission');

  const { referrals } = await manager.rest('GET', '/referrals');
  assert.deepEqual(
    referrals.data.map(({ status, amount }) => [status, amount]),
    [['unpaid', 20]],
  );
  log('a click and an order became a commission of 20.00');

  await manager.rest('POST', '/payouts/process-payout', { config: { title: 'January', description: 'Run' } });
  const { payouts } = await manager.rest('GET', '/payouts');
  await manager.rest('PATCH', `/payouts/${payouts.data[0].id}/transactions/bulk-action`, {
    action: 'mark_as_paid',
  });
  assert.equal((await manager.rest('GET', '/referrals')).referrals.data[0].status, 'paid');
  log('the commission is paid');

  await signIn(alice, { email: person });
  const stats = await alice.rest('GET', '/portal/stats');
  assert.ok(JSON.stringify(stats).includes('20'), 'Alice sees what she earned');
  assert.equal(
    (await alice.send('GET', `${base}/affiliates`, { headers: { 'X-WP-Nonce': alice.nonce } })).status,
    403,
  );
  const portal = await alice.open('/partners/');
  assert.ok(portal.status === 200 && portal.text.includes('<script'), 'the portal is a page of the site');
  const console = await manager.open(`${consolePath}/`);
  assert.ok(console.status === 200 && console.text.includes('<script'), 'the console is a page of the site');
  assert.ok((await alice.open(`${consolePath}/`)).status >= 300, 'the console is not for affiliates');
  log('portal and console are pages of the site');
  return { manager, alice, affiliate };
}

export { expectOk };
