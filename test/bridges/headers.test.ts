import { expect, it } from '@jest/globals';
import { plainRequest } from '../../frameworks/index.js';
import { testProgram } from '../../testing/index.js';

it('credits an order whose request is known by its headers alone, as in an action of Next.js', async () => {
  await using program = await testProgram();
  const cookie = await program.visit('alice');
  const headers = new Headers({ ...program.request(cookie).headers } as Record<string, string>);
  headers.set('host', 'shop.test');

  const { referral } = await program.service.conversions.record(plainRequest(headers), {
    provider: 'shop',
    reference: 'N-1',
    status: 'unpaid',
    order: { subtotal: '100.00' },
  });

  expect(referral).toMatchObject({ amount_minor: 2000 });
});
