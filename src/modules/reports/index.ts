export { RollupsService } from './rollups.js';
export { reportRoutes } from './routes.js';
export { ReportsService } from './service.js';
export type { Chart, ChartDates, ChartSeries } from './types.js';
