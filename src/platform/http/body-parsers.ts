import type { Logger } from '../../core/logger.js';

const PARSERS = ['jsonParser', 'urlencodedParser', 'textParser'];

interface Layers {
  readonly stack?: readonly { readonly name?: string }[];
}

/**
 * Signatures cover the bytes of a body: a parser that reads them first must keep them,
 * which nobody can see from here.
 */
export function warnOfParsers(application: object, log: Logger): void {
  const found = layersOf(application).filter((name) => PARSERS.includes(name));
  if (found.length === 0) return;
  log.warn(
    'A body parser stands before the affiliate service. Mount the service first, or keep the bytes in `req.rawBody`: ' +
      'signed messages of shops and connected sites are refused otherwise.',
    { parsers: found },
  );
}

/**
 * Names of the handlers an Express application has so far:
 * `_router` in Express 4, whose `router` throws, `router` in Express 5.
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
