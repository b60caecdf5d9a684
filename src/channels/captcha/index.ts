import { defineModule } from '../../platform/module.js';
import { captchaRoutes } from './routes.js';
import { CaptchaService } from './service.js';

export type { CaptchaInput, CaptchaSettings, Challenge } from './types.js';

export const captcha = defineModule({
  name: 'captcha',
  Service: CaptchaService,
  routes: [...captchaRoutes],
});
