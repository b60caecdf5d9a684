import type { AffiliateService, AffiliateServiceOptions } from '../../src/index.js';
import type { MemoryHost } from '../../adapters/memory-host.js';

export interface Program {
  readonly url: string;
  readonly host: MemoryHost;
  readonly service: AffiliateService;
  close(): Promise<void>;
}

/** Starts the shop on a free port (or this one), filled with affiliates, sales and clicks unless `seed` is false. */
export function startProgram(
  options?: AffiliateServiceOptions & {
    readonly port?: number;
    readonly seed?: boolean;
    /** The names of the affiliate number `at`, which has this one usually. */
    readonly nameOf?: (at: number, name: string) => string;
  },
): Promise<Program>;
