export { captchaRoutes } from './routes.js';
export { CaptchaService } from './service.js';
export type { CaptchaInput, CaptchaSettings, Challenge } from './types.js';
