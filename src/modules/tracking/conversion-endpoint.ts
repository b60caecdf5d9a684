import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../../app.js';
import { readBody } from '../../http/body.js';
import { sendError } from '../../http/error-handler.js';
import { sendJson, setCommonHeaders } from '../../http/reply.js';
import { fail } from '../../errors.js';
import { allowOrigin } from './cors.js';
import { isKnownHost, senderOf } from './known-hosts.js';
import { openConversion, unsignedConversion } from './signed-conversion.js';
import type { VisitorLimits } from './visitor-limits.js';

const BODY_BYTES = 8192;

/** `POST <tracker path>/conversion`: a thank-you page reports its order, signed by the host (tracking §15). */
export class ConversionEndpoint {
  constructor(private readonly app: App, private readonly limits: VisitorLimits) {}

  matches(req: IncomingMessage): boolean {
    if (req.method !== 'POST' && req.method !== 'OPTIONS') return false;
    const [path] = ((req as { originalUrl?: string }).originalUrl ?? req.url ?? '').split('?');
    return path?.replace(/\/$/, '') === `${this.app.basePath}${this.app.options.tracking.path}/conversion`;
  }

  async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      setCommonHeaders(res, this.app.context.current().requestId);
      await allowOrigin(this.app, req, res);
      if (req.method === 'OPTIONS') {
        res.writeHead(204).end();
        return;
      }
      await this.limits.take(req);
      const { fields } = await readBody(req, { bytes: BODY_BYTES, plainText: true });
      sendJson(res, 200, { message: await this.#record(req, fields), time: Math.floor(this.app.clock.now() / 1000) });
    } catch (error) {
      sendError(this.app, res, error);
    }
  }

  /** A page is told whether its order was taken, not whose it is or why not: that is for the admin to read. */
  async #record(req: IncomingMessage, fields: Readonly<Record<string, unknown>>): Promise<'success' | 'no'> {
    const { token } = fields;
    const input = typeof token === 'string' && token !== '' ? openConversion(this.app, token) : await this.#unsigned(req, fields);
    const { referral } = await this.app.conversions.record(req, input);
    return referral ? 'success' : 'no';
  }

  async #unsigned(req: IncomingMessage, fields: Readonly<Record<string, unknown>>): Promise<ReturnType<typeof unsignedConversion>> {
    const sender = senderOf(req);
    if (!this.app.options.tracking.unsignedConversions || !sender || !(await isKnownHost(this.app, sender))) fail('conversion_signature_invalid');
    return unsignedConversion(fields);
  }
}
