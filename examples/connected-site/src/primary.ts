import express, { type Express } from 'express';
import { createAffiliateService, type AffiliateService } from 'affiliate-service';
import { createMemoryHost } from 'affiliate-service/adapters';
import { page, thanks } from './page.js';

export interface Primary {
  readonly app: Express;
  readonly service: AffiliateService;
}

/** The site that runs the program: affiliates, commissions, payouts. It has a shop of its own. */
export async function createPrimary(url: string): Promise<Primary> {
  const host = createMemoryHost({
    site: { url, name: 'Primary' },
    users: [
      { id: 1, login: 'admin', capabilities: ['manage_options'] },
      { id: 2, login: 'alice', email: 'alice@example.test' },
    ],
  });
  const service = createAffiliateService(host, {
    database: { client: 'better-sqlite3', connection: process.env['DATABASE'] ?? ':memory:' },
  });
  await service.ready();
  if (!(await service.affiliates.findByUser(2)))
    await service.affiliates.create({ user_id: 2, status: 'active', rate_type: 'percentage', rate: 10 });

  const app = express();
  service.mount(app);
  app.get('/', (_req, res) => {
    res.send(page('Primary', '<form method="post" action="/buy"><button>Buy for 100.00</button></form>'));
  });
  app.post('/buy', async (req, res) => {
    const { referral } = await service.conversions.record(req, {
      provider: 'shop',
      reference: crypto.randomUUID(),
      status: 'unpaid',
      order: { subtotal: '100.00' },
    });
    const sold = referral && {
      id: referral.id,
      amount: referral.amount,
      affiliate_id: referral.affiliate_id,
      visit_id: referral.visit_id,
    };
    if (req.accepts(['json', 'html']) === 'html') res.send(thanks('Primary', { referral: sold }));
    else res.json({ referral: sold });
  });
  return { app, service };
}

/** For the example's own demonstration: an administrator presses the button for this. */
export async function disconnect({ service }: Primary): Promise<void> {
  const { sites } = await service.connectedSites.config();
  for (const site of sites) await service.connectedSites.disconnect(site.site_id);
}

/**
 * What an administrator does once: switch connected sites on, issue a token,
 * paste the text into the other site.
 */
export async function connect({ service }: Primary, storeUrl: string): Promise<string> {
  await service.connectedSites.setStatus('yes');
  return service.connectedSites.connectConfig(
    await service.connectedSites.issue({ site_url: storeUrl, site_title: 'Store' }),
  );
}
