import { ConnectedSite, readConfig } from './site.js';
import type { ConnectConfig, ConnectOptions } from './types.js';

export { PrimaryError, RefusedReport } from './client.js';
export { FileQueue } from './file-queue.js';
export { MemoryQueue } from './outbox.js';
export { ConnectedSite } from './site.js';
export type * from './types.js';

/**
 * Connects this site to its primary. `config` is the text `connect_config` that the primary showed once, or
 * its parsed form.
 */
export function connectSite(config: ConnectConfig | string, options: ConnectOptions = {}): ConnectedSite {
  return new ConnectedSite(readConfig(config), options);
}
