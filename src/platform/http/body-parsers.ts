import type { Logger } from '../../core/logger.js';

const PARSERS = ['jsonParser', 'urlencodedParser', 'textParser'];

interface Layers {
  readonly stack?: readonly { readonly name?: string }[];
}

/**
 * Logs a warning when the host parses bodies itself. Signatures cover the bytes of a body, so a parser that
 * reads them first must store them; whether it does is unknown here.
 */
export function warnOfParsers(application: object, log: Logger): void {
  const found = layersOf(application).filter((name) => PARSERS.includes(name));
  if (found.length === 0) return;
  log.warn(
    'A body parser runs before the affiliate service. Mount the service first, or keep the bytes in `req.rawBody`: ' +
      'otherwise, signed messages of shops and connected sites are rejected.',
    { parsers: found },
  );
}

/**
 * The names of an Express application's handlers. Express 4 has them in `_router` (its `router` throws),
 * Express 5 in `router`.
 */
function layersOf(application: object): string[] {
  const { _router: four } = application as { readonly _router?: Layers };
  try {
    const layers = four ?? (application as { readonly router?: Layers }).router;
    return (layers?.stack ?? []).map(({ name = '' }) => name);
  } catch {
    return [];
  }
}
