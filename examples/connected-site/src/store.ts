import express, { type Express } from 'express';
import { connectSite } from 'affiliate-service/connected-site';
import { page, thanks } from './page.js';

/** A second site: no affiliates of its own, it reports to the primary. */
export async function createStore(connectConfig: string): Promise<Express> {
  const site = connectSite(connectConfig, {
    allowPrivateNetworks: true, // both run on this machine; leave it out where the primary is on the internet
    pageDeadlineMs: 2000,
    onError: (error) => {
      process.stderr.write(`${String(error)}\n`);
    },
  });
  await site.handshake(); // fails here when the text was pasted wrong
  const app = express();
  app.use(site.tracker);
  app.get('/', async (req, res) => {
    const link = await site.linkToPrimary(req);
    res.send(
      page(
        'Store',
        `<form method="post" action="/buy"><button>Buy for 50.00</button></form><p><a href="${link.replaceAll('&', '&amp;')}">To the primary site</a></p>`,
      ),
    );
  });
  app.post('/buy', async (req, res) => {
    const reference = crypto.randomUUID();
    const answer = await site.recordConversion(req, {
      reference,
      status: 'unpaid',
      order: { subtotal: '50.00' },
    });
    if (req.accepts(['json', 'html']) === 'html') res.send(thanks('Store', answer));
    else res.json({ reference, ...answer });
  });
  app.post('/orders/:reference/refund', async (req, res) => {
    res.json(await site.updateConversion(req.params.reference, { refunded_total: '25.00' }));
  });
  // What an administrator of the store does when the primary gave out a new text.
  app.post('/connect', express.text(), async (req, res) => {
    await site.reconnect(String(req.body));
    res.json({ waiting: await site.waiting() });
  });
  return app;
}
