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
    summary: 'List rule sets, newest version first',
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
    summary: 'List the facts available in conditions, and how each can be compared',
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
    summary: "Publish or hide the program's terms",
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
    summary: "Get the program's public terms: the active rules for all affiliates, as text and as data",
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
    summary: 'Update a draft of reward rules',
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
    summary: 'Start a simulation: what a draft would have paid for past orders. No commission changes',
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
    summary: "Get the progress or result of a rule set's simulation",
    params: idParams,
    response: schemas.simulationResponse,
    handler: async ({ app, params }) => ({ simulation: await app.rewards.simulation(params.id) }),
  }),
  defineRoute({
    id: 'rewards.activate',
    method: 'post',
    paths: ['/reward-rules/:id/activate'],
    access: policies.settingsOfPeople,
    summary: 'Activate a draft for new orders. It replaces the active rule set',
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
    summary: 'End the active rules. New orders use the rates of affiliates, groups and the program again',
    params: idParams,
    response: schemas.setSaved,
    handler: async ({ app, params }) => ({
      message: 'The rules are no longer active.',
      reward_rules: presentSet(await app.rewards.retire(params.id)),
    }),
  }),
];
