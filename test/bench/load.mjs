// Sends the requests of the measurements, from a process of its own;
// a baseline gets the same ones as the service.
import { once } from 'node:events';
import autocannon from 'autocannon';

const BROWSER = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36',
  Accept: 'text/html',
  'Sec-Fetch-Dest': 'document',
};
let n = Math.floor(Math.random() * 1_000_000) * 1000;

// Every click comes from another address, as from another visitor.
const address = () => {
  n += 1;
  return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
};
const REQUESTS = {
  known:
    ({ cookie }) =>
    () => ({ method: 'GET', path: '/?ref=alice', headers: { ...BROWSER, Cookie: cookie } }),
  click: () => () => ({
    method: 'GET',
    path: `/?ref=alice&n=${n}`,
    headers: { ...BROWSER, 'X-Forwarded-For': address(), 'User-Agent': `${BROWSER['User-Agent']} v${n}` },
  }),
  conversion:
    ({ cookie }) =>
    () => ({ method: 'POST', path: '/checkout', headers: { ...BROWSER, Cookie: cookie } }),
  patch:
    ({ referrals, signIns }) =>
    () => ({
      method: 'PATCH',
      path: `${referrals.path}/${referrals.ids[n % referrals.ids.length]}`,
      headers: { ...signedIn(signIns), 'Content-Type': 'application/json' },
      body: JSON.stringify({ description: `changed ${n}` }),
    }),
  post:
    ({ referrals, signIns, affiliate }) =>
    () => ({
      method: 'POST',
      path: referrals.path,
      headers: { ...signedIn(signIns), 'Content-Type': 'application/json' },
      body: JSON.stringify({ affiliate_id: affiliate, amount: '12.50', status: 'unpaid', type: 'sale' }),
    }),
  read:
    ({ read, signIns }) =>
    () => ({ method: 'GET', path: read, headers: signedIn(signIns) }),
};

function signedIn(signIns) {
  n += 1;
  const { cookie, nonce } = signIns[n % signIns.length];
  return { Cookie: cookie, 'X-WP-Nonce': nonce };
}

const [{ host, connections }] = await once(process, 'message');
process.on('message', async ({ scenario, server, seconds, connections: own }) => {
  const next = REQUESTS[scenario](host);
  const {
    requests,
    latency,
    duration,
    non2xx,
    errors,
    timeouts,
    '2xx': answered,
  } = await autocannon({
    url: host[server],
    connections: own ?? connections,
    duration: seconds,
    timeout: 30,
    requests: [{ setupRequest: (request) => ({ ...request, ...next() }) }],
  });
  process.send({
    rate: requests.total / duration,
    p50: latency.p50,
    p99: latency.p99,
    answered,
    wrong: non2xx + errors + timeouts,
  });
});
process.send('ready');
