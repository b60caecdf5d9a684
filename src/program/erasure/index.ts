import { defineModule } from '../../platform/module.js';
import { ErasureService } from './service.js';

export const erasure = defineModule({
  name: 'erasure',
  Service: ErasureService,
});
