export { registrationRoutes } from './routes.js';
export { RegistrationService } from './service.js';
export type {
  RegistrationField,
  RegistrationSettings,
  SignupForm,
  SignupOutcome,
  SignupRequest,
  SignupState,
} from './types.js';
