import { FACT_NAMES, kindOf, opsOf } from '../../core/rewards/facts.js';
import { pageEnvelope } from '../../core/page.js';
import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { idParams } from '../../platform/http/schema.js';
import { messageResponse } from '../../platform/http/responses.js';
import { presentSet } from './presenter.js';
import * as schemas from './schemas.js';
import type { RewardsService } from './service.js';

export interface RouteDeps {
  readonly rewards: RewardsService;
}
const defineRoute = routesFor<RouteDeps>('rewards');
const defineProgramRoute = routesFor<RouteDeps>('program');
const access = policies.settings;

export const rewardRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'rewards.list',
    method: 'get',
    paths: ['/reward-rules'],
    access,
    summary: 'List rule sets, the newest version first',
    query: schemas.setQuery,
    response: schemas.setPage,
    handler: async ({ app, query, request }) => {
      const page = await app.rewards.list(query);
      return {
        reward_rules: pageEnvelope(request.url, { ...page, rows: page.rows.map(presentSet) }),
        terms_public: (await app.rewards.areTermsPublic()) ? ('yes' as const) : ('no' as const),
      };
    },
  }),
  defineRoute({
    id: 'rewards.facts',
    method: 'get',
    paths: ['/reward-rules/facts'],
    access,
    summary: 'List the facts that conditions can use, and their comparisons',
    response: schemas.factsResponse,
    handler: async () => ({
      facts: FACT_NAMES.map((fact) => {
        const kind = kindOf(fact) ?? 'text';
        return { fact, kind, ops: opsOf(kind) };
      }),
    }),
  }),
  defineRoute({
    id: 'rewards.save_terms',
    method: 'post',
    paths: ['/reward-rules/terms'],
    access: policies.settingsOfPeople,
    summary: 'Publish the terms of the program, or hide them',
    body: schemas.termsBody,
    response: schemas.termsSaved,
    handler: async ({ app, body }) => {
      await app.rewards.publishTerms(body.public === 'yes');
      return { message: 'Settings saved.', public: body.public };
    },
  }),
  defineProgramRoute({
    id: 'program.terms',
    method: 'get',
    paths: ['/program/terms'],
    access: policies.public,
    summary: 'Get the public terms: the active rules that apply to everybody, as sentences and as data',
    response: schemas.termsResponse,
    handler: async ({ app }) => ({ terms: await app.rewards.publicTerms() }),
  }),
  defineRoute({
    id: 'rewards.create',
    method: 'post',
    paths: ['/reward-rules'],
    access,
    summary: 'Create a draft of reward rules',
    body: schemas.setCreate,
    response: schemas.setSaved,
    handler: async ({ app, body }) => ({
      message: 'Draft saved.',
      reward_rules: presentSet(await app.rewards.create(body)),
    }),
  }),
  defineRoute({
    id: 'rewards.get',
    method: 'get',
    paths: ['/reward-rules/:id'],
    access,
    summary: 'Get a rule set',
    params: idParams,
    response: schemas.setResponse,
    handler: async ({ app, params }) => ({ reward_rules: presentSet(await app.rewards.get(params.id)) }),
  }),
  defineRoute({
    id: 'rewards.update',
    method: 'patch',
    paths: ['/reward-rules/:id'],
    access,
    summary: 'Change a draft of reward rules',
    params: idParams,
    body: schemas.setForm,
    response: schemas.setSaved,
    handler: async ({ app, params, body }) => ({
      message: 'Draft saved.',
      reward_rules: presentSet(await app.rewards.update(params.id, body)),
    }),
  }),
  defineRoute({
    id: 'rewards.remove',
    method: 'delete',
    paths: ['/reward-rules/:id'],
    access,
    summary: 'Delete a draft of reward rules',
    params: idParams,
    response: messageResponse,
    handler: async ({ app, params }) => {
      await app.rewards.remove(params.id);
      return { message: 'Draft deleted.' };
    },
  }),
  defineRoute({
    id: 'rewards.simulate',
    method: 'post',
    paths: ['/reward-rules/:id/simulate'],
    access,
    summary:
      'Begin to compute what a draft would have paid for the orders of these days; changes no commission',
    params: idParams,
    body: schemas.simulateBody,
    response: schemas.simulationResponse,
    handler: async ({ app, params, body }) => ({ simulation: await app.rewards.simulate(params.id, body) }),
  }),
  defineRoute({
    id: 'rewards.simulation',
    method: 'get',
    paths: ['/reward-rules/:id/simulation'],
    access,
    summary: 'Get the progress of the simulation of a rule set, or its result',
    params: idParams,
    response: schemas.simulationResponse,
    handler: async ({ app, params }) => ({ simulation: await app.rewards.simulation(params.id) }),
  }),
  defineRoute({
    id: 'rewards.activate',
    method: 'post',
    paths: ['/reward-rules/:id/activate'],
    access: policies.settingsOfPeople,
    summary: 'Activate a draft for new orders; the rule set before it retires',
    params: idParams,
    body: schemas.activateBody,
    response: schemas.setSaved,
    handler: async ({ app, params, body }) => ({
      message: 'The rules are active.',
      reward_rules: presentSet(await app.rewards.activate(params.id, body)),
    }),
  }),
  defineRoute({
    id: 'rewards.retire',
    method: 'post',
    paths: ['/reward-rules/:id/retire'],
    access: policies.settingsOfPeople,
    summary: 'End the active rules; the rates of affiliates, groups and the program count again',
    params: idParams,
    response: schemas.setSaved,
    handler: async ({ app, params }) => ({
      message: 'The rules are no longer active.',
      reward_rules: presentSet(await app.rewards.retire(params.id)),
    }),
  }),
];
