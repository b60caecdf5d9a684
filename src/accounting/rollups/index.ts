import { defineModule } from '../../platform/module.js';
import { rollupRoutes } from './routes.js';
import { RollupsService } from './service.js';

export type { Chart, ChartDates, ChartSeries } from './types.js';

export const rollups = defineModule({
  name: 'rollups',
  Service: RollupsService,
  routes: [...rollupRoutes],
});
