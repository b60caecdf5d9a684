// src/modules/affiliates/service.js; index.js: export default Module('affiliates', { service: AffiliatesModule });
import { createAffiliateService } from 'affiliate-service';
import { medusa } from 'affiliate-service/adapters';
import { host } from '../shop/host.mjs';

export class AffiliatesModule {
  #program;

  /** `query` comes from the application's container, which a module doesn't see. */
  start(query) {
    return (this.#program ??= this.#open(query));
  }

  async #open(query) {
    const shop = medusa({ query, enabled: true });
    const service = createAffiliateService(host, {
      database: { client: 'better-sqlite3', connection: process.env.DATABASE ?? 'affiliates.sqlite' },
      secret: process.env.SECRET_OF_COOKIES ?? 'at least 32 characters, only while trying it out',
      providers: [shop],
    });
    await service.ready();
    return { shop, service };
  }
}
