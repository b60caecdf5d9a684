import { only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { captchaRoutes } from './routes.js';
import { CaptchaService } from './service.js';

export const captcha = defineModule({
  name: 'captcha',
  Service: CaptchaService,
  routes: [...captchaRoutes],
  api: (service) => only(service, ['challenge', 'save', 'settings']),
});
