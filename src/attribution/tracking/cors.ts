import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KnownHosts } from './known-hosts.js';
import { addVary } from './vary.js';

/** Known hosts may call the endpoint, but only the host itself with credentials. */
export async function allowOrigin(
  hosts: KnownHosts,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { origin } = req.headers;
  addVary(res, 'Origin');
  const sender = URL.parse(origin ?? '');
  if (origin === undefined || sender === null || !(await hosts.isKnown(sender))) return;
  res.setHeader('Access-Control-Allow-Origin', origin);
  res.setHeader('Access-Control-Allow-Methods', 'POST');
  res.setHeader('Access-Control-Allow-Headers', 'Content-Type');
  res.setHeader('Access-Control-Max-Age', '3600');
  if (hosts.isOwn(new URL(origin))) res.setHeader('Access-Control-Allow-Credentials', 'true');
}
