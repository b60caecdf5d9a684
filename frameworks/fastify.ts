import type { IncomingMessage, ServerResponse } from 'node:http';
import { remember, run, type BridgedService, type Mounts } from './service.js';

/** What the bridge uses of Fastify (4 and 5). */
export interface FastifyServer {
  addHook(
    name: 'onRequest',
    hook: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): unknown;
}
export interface FastifyRequest {
  readonly raw: IncomingMessage;
}
export interface FastifyReply {
  readonly raw: ServerResponse;
  header(name: string, value: string): unknown;
  hijack(): unknown;
  redirect(url: string): unknown;
}

/**
 * Fastify plugin for the whole server: `await app.register(toFastify(service))` after the plugins of the
 * session. It runs before bodies are parsed. Fastify has chosen its route by then, so a link with the
 * affiliate in its path (`/page/ref/jo`) is redirected to its page.
 */
export function toFastify(
  service: BridgedService,
  mounts: Mounts = {},
): (server: FastifyServer) => Promise<void> {
  const plugin = async (server: FastifyServer): Promise<void> => {
    server.addHook('onRequest', async (request, reply) => {
      const { raw: req } = request;
      const { raw: res } = reply;
      remember(req, request);
      const address = req.url;
      // `hijack` drops what Fastify has put on the reply so far, and what it would do after the response.
      if ((await run(service, mounts, req, res)) === 'answered') {
        reply.hijack();
        return reply;
      }
      takeCookies(reply);
      return req.url === address ? undefined : reply.redirect(req.url ?? '/');
    });
  };
  // Makes the plugin apply to the whole server, not to a part of it.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}

// Fastify would replace the cookies set on the plain response by its own.
function takeCookies(reply: FastifyReply): void {
  const cookies = reply.raw.getHeader('Set-Cookie');
  if (cookies === undefined) return;
  reply.raw.removeHeader('Set-Cookie');
  for (const cookie of Array.isArray(cookies) ? cookies : [String(cookies)])
    reply.header('Set-Cookie', cookie);
}
