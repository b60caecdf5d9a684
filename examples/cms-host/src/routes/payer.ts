import { Router } from 'express';
import { adminOnly, show, type Site } from '../site.js';
import { PAYER_STATES, type StandInPayment } from '../store/payer.js';
import { payerPage } from '../views/payer.js';

const SHOWN = 100;

/** The page of the stand-in payer. */
export function payerRoutes(site: Site): Router {
  const router = Router();

  router.get(
    '/admin/payer',
    adminOnly(site, (req, res) =>
      show(site, req, res, {
        title: 'Payer',
        current: '/admin/payer',
        body: payerPage(site.payer.newest(SHOWN)),
      }),
    ),
  );

  router.post(
    '/admin/payer/:id',
    adminOnly(site, async (req, res) => {
      const { state } = req.body as { readonly state?: unknown };
      const known = PAYER_STATES.find((each) => each === state);
      if (known !== undefined) {
        const id = Number(req.params['id']);
        const moved = site.payer.move(id, known);
        if (moved !== null) await tell(site, moved);
      }
      res.redirect(303, '/admin/payer');
    }),
  );

  return router;
}

/** The payer sends its event, and the program asks what happened. */
async function tell({ url, service }: Site, { id, item }: StandInPayment): Promise<void> {
  await fetch(`${url}${service.basePath}/webhooks/payers/paypal`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'PayPal-Auth-Algo': 'SHA256withRSA',
      'PayPal-Cert-Url': 'https://api.paypal.com/demo',
      'PayPal-Transmission-Id': `demo-${id}`,
      'PayPal-Transmission-Sig': 'demo',
      'PayPal-Transmission-Time': new Date().toISOString(),
    },
    body: JSON.stringify({
      resource: { payout_item_id: String(id), payout_item: { sender_item_id: item } },
    }),
  });
  await service.payers.followDue();
}
