export { licenseRoutes } from './routes.js';
export { LicenseService } from './service.js';
export type { LicenseReport, LicenseStatus } from './types.js';
