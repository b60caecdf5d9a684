import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { object, optional, string } from '../../platform/http/schema.js';
import { wrapped } from '../../platform/http/wrapped.js';
import { REFERRAL_CONFIG } from './referral-config.js';
import {
  defaultRules,
  PROGRAM_RULES,
  presentRules,
  readRules,
  ruleName,
  type ProgramRules,
} from './program-rules.js';
import { wireName } from './rule-names.js';
import {
  formerVariables,
  programRulesResponse,
  programRulesBody,
  referralConfig,
  referralConfigBody,
  type RulesResponse,
} from './schemas.js';
import type { Deps } from './deps.js';
import type { SettingsService } from './service.js';

export interface RouteDeps extends Deps {
  readonly settings: SettingsService;
}
const defineRoute = routesFor<RouteDeps>('settings');

const rulesResponse = ({ options }: Pick<RouteDeps, 'options'>, rules: ProgramRules): RulesResponse => ({
  rules: presentRules(rules),
  defaults: presentRules(defaultRules(options)),
  locked: options.locked.map(wireName),
});

export const settingsRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'settings.referral_config',
    method: 'get',
    paths: ['/settings/referral-config'],
    access: policies.settings,
    summary: 'Get the referral-program configuration',
    settings: [REFERRAL_CONFIG],
    response: object({ config: referralConfig, former_variables: optional(formerVariables) }),
    handler: async ({ app }) => {
      const config = await app.settings.configDto();
      const former = await app.settings.formerLinkVariables();
      return { config, ...(former.length > 0 && { former_variables: [...former] }) };
    },
  }),
  defineRoute({
    id: 'settings.save_referral_config',
    method: 'post',
    paths: ['/settings/referral-config'],
    access: policies.settings,
    summary: 'Update the referral-program configuration',
    settings: [REFERRAL_CONFIG],
    body: referralConfigBody,
    response: object({ config: referralConfig, message: string }),
    handler: async ({ app, request }) => {
      const config = await app.settings.saveReferralConfig(
        wrapped(request.submitted, 'referral_config', referralConfig.properties),
        { confirm: [true, 1, '1', 'true', 'yes'].includes(request.submitted['confirm'] as string) },
      );
      return { config, message: 'Settings saved.' };
    },
  }),
  defineRoute({
    id: 'settings.program_rules',
    method: 'get',
    paths: ['/settings/program-rules'],
    access: policies.settings,
    summary: 'Get the rules for refunds, payouts and fraud, with their defaults and which ones are locked',
    settings: [PROGRAM_RULES],
    response: programRulesResponse,
    handler: async ({ app }) => rulesResponse(app, await app.settings.rules()),
  }),
  defineRoute({
    id: 'settings.save_program_rules',
    method: 'post',
    paths: ['/settings/program-rules'],
    access: policies.settingsOfPeople,
    summary: 'Update the rules for refunds, payouts and fraud. `reset` restores the values from the options',
    settings: [PROGRAM_RULES],
    body: programRulesBody,
    response: programRulesResponse,
    handler: async ({ app, body }) => {
      const { reset = [], ...rules } = body;
      const saved = await app.settings.saveRules(readRules(rules), reset.map(ruleName));
      return { ...rulesResponse(app, saved), message: 'Settings saved.' };
    },
  }),
];
