import { only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { registrationHooks } from './hooks.js';
import { registrationRoutes } from './routes.js';
import { RegistrationService } from './service.js';

export type {
  RegistrationField,
  RegistrationSettings,
  SignupForm,
  SignupOutcome,
  SignupRequest,
  SignupState,
} from './types.js';

export const registration = defineModule({
  name: 'registration',
  Service: RegistrationService,
  hooks: registrationHooks,
  routes: [...registrationRoutes],
  api: (service) =>
    only(service, ['confirm', 'form', 'list', 'register', 'save', 'sendAgain', 'settings', 'state']),
});
