export { fraudRoutes } from './routes.js';
export { FraudService } from './service.js';
export { FRAUD_RULES } from './types.js';
export type { FraudAction, FraudEvent, FraudHit, FraudRule } from './types.js';
