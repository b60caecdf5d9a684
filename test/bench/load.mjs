// Sends the requests of one measurement, from a process of its own.
import { once } from 'node:events';
import autocannon from 'autocannon';

const [{ scenario, bare, site, read, signIns, cookie, seconds, connections }] = await once(process, 'message');
const BROWSER = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36', Accept: 'text/html', 'Sec-Fetch-Dest': 'document' };
let n = Math.floor(Math.random() * 1_000_000) * 1000;

// Every click comes from another address, as from another visitor.
const address = () => { n += 1; return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`; };
const SCENARIOS = {
  bare: () => ({ url: bare, requests: [{ method: 'GET', path: '/', headers: BROWSER }] }),
  known: () => ({ url: site, requests: [{ method: 'GET', path: '/?ref=alice', headers: { ...BROWSER, Cookie: cookie } }] }),
  click: () => ({
    url: site,
    requests: [{ setupRequest: (request) => ({ ...request, method: 'GET', path: `/?ref=alice&n=${n}`, headers: { ...BROWSER, 'X-Forwarded-For': address(), 'User-Agent': `${BROWSER['User-Agent']} v${n}` } }) }],
  }),
  conversion: () => ({ url: site, requests: [{ method: 'POST', path: '/checkout', headers: { ...BROWSER, Cookie: cookie } }] }),
  read: () => ({
    url: site,
    requests: [{
      setupRequest: (request) => {
        n += 1;
        const { cookie: session, nonce } = signIns[n % signIns.length];
        return { ...request, method: 'GET', path: read, headers: { Cookie: session, 'X-WP-Nonce': nonce } };
      },
    }],
  }),
};

const run = (duration) => autocannon({ ...SCENARIOS[scenario](), connections, duration, timeout: 30 });
await run(2); // warm
const result = await run(seconds);
process.send({
  rate: result.requests.average, p50: result.latency.p50, p99: result.latency.p99, answered: result['2xx'], wrong: result.non2xx + result.errors + result.timeouts,
}, () => process.exit(0));
