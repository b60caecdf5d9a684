import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendError } from '../../platform/http/error-handler.js';
import { sendJson } from '../../platform/http/reply.js';
import { fail } from '../../errors.js';
import type { Deps } from './deps.js';
import type { TrackingContributions } from './contributions.js';
import { senderOf, type KnownHosts } from './known-hosts.js';
import { addressParts, responseTime, isCall, readCall } from './public-call.js';
import { openConversion, unsignedConversion } from './signed-conversion.js';
import type { VisitorLimits } from './visitor-limits.js';

const BODY_BYTES = 8192;

/**
 * `POST <tracker path>/conversion`: a thank-you page reports its order,
 * signed by the host (docs/tracking.md §10).
 */
export class ConversionEndpoint {
  constructor(
    private readonly app: Deps,
    private readonly parts: {
      readonly limits: VisitorLimits;
      readonly hosts: KnownHosts;
      readonly take: TrackingContributions['takeOrder'];
    },
  ) {}

  /** Is this a request to the endpoint, seen by the middleware of the host's pages? */
  matches(req: IncomingMessage): boolean {
    return (
      isCall(req) &&
      isPath(addressParts(req)[0], `${this.app.basePath}${this.app.options.tracking.path}/conversion`)
    );
  }

  /** Like `matches`, when the tracker path has already been removed from the address. */
  matchesBelow(req: IncomingMessage): boolean {
    return isCall(req) && isPath(req.url?.split('?')[0] ?? '', '/conversion');
  }

  async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const call = await readCall(this.app, this.parts, { req, res, bytes: BODY_BYTES, stopAtLimit: true });
      if (call)
        sendJson(res, 200, { message: await this.#record(req, call.fields), time: responseTime(this.app) });
    } catch (error) {
      sendError(this.app, res, error);
    }
  }

  /**
   * Returns whether the order was accepted. Only administrators see which affiliate was credited, or why none
   * was.
   */
  async #record(req: IncomingMessage, fields: Readonly<Record<string, unknown>>): Promise<'success' | 'no'> {
    const { token } = fields;
    const input =
      typeof token === 'string' && token !== ''
        ? openConversion(this.app, token)
        : await this.#unsigned(req, fields);
    return (await this.parts.take(req, input)) ? 'success' : 'no';
  }

  async #unsigned(
    req: IncomingMessage,
    fields: Readonly<Record<string, unknown>>,
  ): Promise<ReturnType<typeof unsignedConversion>> {
    const sender = senderOf(req);
    if (
      !this.app.options.tracking.unsignedConversions ||
      !sender ||
      !(await this.parts.hosts.isKnown(sender))
    )
      fail('conversion_signature_invalid');
    return unsignedConversion(fields);
  }
}

const isPath = (path: string, expected: string): boolean => path.replace(/\/$/, '') === expected;
