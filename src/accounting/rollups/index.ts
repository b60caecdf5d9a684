export { rollupRoutes } from './routes.js';
export { RollupsService } from './service.js';
export type { Chart, ChartDates, ChartSeries } from './types.js';
