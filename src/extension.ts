import type { AffiliateService } from './service.js';

/** A named piece that taps hooks when the service is created. */
export interface Extension {
  readonly name: string;
  setup(service: AffiliateService): void;
}
