import { defineModule } from '../../platform/module.js';
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
  routes: [...registrationRoutes],
});
