import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AffiliateService } from 'affiliate-service';

export interface Step {
  readonly url: string;
  readonly referrer: string;
  readonly address: string;
}

const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0',
];

/** A page view of an invented visitor, seen by the tracker as any other; answers the attribution cookie. */
export async function visit(service: AffiliateService, step: Step, host: string): Promise<string> {
  const req = new IncomingMessage({ remoteAddress: step.address } as Socket);
  Object.assign(req, { method: 'GET', url: step.url });
  req.headers = {
    host,
    accept: 'text/html',
    'user-agent': AGENTS[step.address.length % AGENTS.length] ?? '',
    ...(step.referrer === '' ? {} : { referer: step.referrer }),
  };
  const res = new ServerResponse(req);
  await service.trackVisit(req, res);
  const cookies = [res.getHeader('set-cookie') ?? []].flat().map(String);
  return cookies.map((line) => /^f_aff=([^;]*)/u.exec(line)?.[1]).find((value) => value !== undefined) ?? '';
}
