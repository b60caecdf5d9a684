// A shop of one button: an order becomes a commission of whoever brought the buyer.
const { randomUUID } = require('node:crypto');

module.exports = {
  options: { csrfExceptions: ['/buy'] },
  routes(self) {
    return {
      post: {
        async '/buy'(req, res) {
          const { service } = self.apos.affiliates;
          const { created } = await service.conversions.record(req, {
            provider: 'shop',
            reference: randomUUID(),
            status: 'unpaid',
            order: { subtotal: '100.00' },
            customer: { email: String(req.body.email ?? '') },
          });
          self.apos.util.info(created ? 'an affiliate earned' : 'nobody earned');
          return res.send({ thanks: true });
        },
      },
    };
  },
};
