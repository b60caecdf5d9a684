// A connected site whose primary is away: three reports wait, then the process is killed.
import { connectSite } from '../../connected-site/index.ts';

const site = connectSite(process.argv[2], { attempts: 1, allowPrivateNetworks: true });
const order = { affiliate_param: 'alice', order: { subtotal: '50.00' } };
await site.recordConversion(null, { ...order, reference: 'A-1', status: 'unpaid' });
await site.updateConversion('A-1', { refunded_total: '25.00' });
await site.recordConversion(null, { ...order, reference: 'A-2' });
process.kill(process.pid, 'SIGKILL');
