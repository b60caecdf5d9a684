import { randomUUID } from 'node:crypto';
import { plainRequest } from 'affiliate-service/bridges';
import { program } from '../../program.js';

export async function POST(request) {
  const { email } = Object.fromEntries(await request.formData());
  await program().service.conversions.record(plainRequest(request), {
    provider: 'shop',
    reference: randomUUID(),
    status: 'unpaid',
    order: { subtotal: '100.00' },
    customer: { email },
  });
  return Response.json({ thanks: true });
}
