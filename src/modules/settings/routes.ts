import { policies } from '../../access/policies.js';
import { defineRoute } from '../../http/define-route.js';
import { object, string } from '../../http/schema.js';
import { referralConfig, referralConfigBody } from './schemas.js';

export const settingsRoutes = [
  defineRoute({
    id: 'settings.referral_config',
    method: 'get',
    paths: ['/settings/referral-config'],
    access: policies.settings,
    summary: 'Get the referral-program configuration',
    response: object({ config: referralConfig }),
    handler: async ({ app }) => ({ config: await app.settings.wireConfig() }),
  }),
  defineRoute({
    id: 'settings.save_referral_config',
    method: 'post',
    paths: ['/settings/referral-config'],
    access: policies.settings,
    summary: 'Save keys of the referral-program configuration',
    body: referralConfigBody,
    response: object({ config: referralConfig, message: string }),
    handler: async ({ app, request }) => {
      const config = await app.settings.saveReferralConfig(
        request.submitted['referral_config'] as Record<string, unknown>,
      );
      return { config, message: 'Settings saved' };
    },
  }),
];
