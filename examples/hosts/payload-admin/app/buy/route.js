import { randomUUID } from 'node:crypto';
import { plainRequest } from 'affiliate-service/bridges';
import { affiliatesOf } from 'affiliate-service/payload';

export async function POST(request) {
  const { email } = Object.fromEntries(await request.formData());
  const { service } = affiliatesOf();
  await service.conversions.record(plainRequest(request), {
    provider: 'shop',
    reference: randomUUID(),
    status: 'unpaid',
    order: { subtotal: '100.00' },
    customer: { email },
  });
  return Response.json({ thanks: true });
}
