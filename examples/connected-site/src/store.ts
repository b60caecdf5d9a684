import express, { type Express } from 'express';
import { connectSite } from 'affiliate-service/connected-site';
import { page } from './page.js';

/** A second site: no affiliates of its own, it reports to the primary. */
export async function createStore(connectConfig: string): Promise<Express> {
  const site = connectSite(connectConfig, { pageDeadlineMs: 2000, onError: (error) => { process.stderr.write(`${String(error)}\n`); } });
  await site.handshake(); // fails here when the text was pasted wrong
  const app = express();
  app.use(site.tracker);
  app.get('/', async (req, res) => {
    const link = await site.linkToPrimary(req);
    res.send(page('Store', `<form method="post" action="/buy"><button>Buy for 50.00</button></form><p><a href="${link.replaceAll('&', '&amp;')}">To the primary site</a></p>`));
  });
  app.post('/buy', async (req, res) => {
    const reference = crypto.randomUUID();
    res.json({ reference, ...await site.recordConversion(req, { reference, status: 'unpaid', order: { subtotal: '50.00' } }) });
  });
  app.post('/orders/:reference/refund', async (req, res) => {
    res.json({ referral: await site.updateConversion(req.params.reference, { refunded_total: '25.00' }) });
  });
  return app;
}
