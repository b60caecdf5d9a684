export { emailRoutes } from './routes.js';
export { EmailsService } from './service.js';
export { EMAIL_KEYS } from './types.js';
export type { EmailConfig, EmailKey, EmailSettings, MailSubject, MailWriter, ModuleMail } from './types.js';
