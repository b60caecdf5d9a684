import { policies } from '../../platform/access/policies.js';
import { routesFor, type Call, type Route } from '../../platform/http/define-route.js';
import { FIELDS, SETTINGS } from './fields.js';
import { presentForm, presentOutcome, presentState } from './presenter.js';
import { signupUser } from './same-site.js';
import * as schemas from './schemas.js';
import type { SignupRequest } from './types.js';
import type { Platform } from '../../platform/platform.js';
import type { RegistrationService } from './service.js';

export interface RouteDeps extends Platform {
  readonly registration: RegistrationService;
}
const defineRoute = routesFor<RouteDeps>('registration');

export const registrationRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'registration.fields',
    method: 'get',
    paths: ['/settings/registration-fields'],
    access: policies.settings,
    summary: 'Get the fields of the sign-up form',
    settings: [FIELDS, SETTINGS],
    response: schemas.registrationFields,
    handler: ({ app }) => app.registration.list(),
  }),
  defineRoute({
    id: 'registration.save_fields',
    method: 'post',
    paths: ['/settings/registration-fields'],
    access: policies.settings,
    summary: 'Update the fields of the sign-up form',
    settings: [FIELDS, SETTINGS],
    body: schemas.saveFieldsBody,
    response: schemas.savedRegistrationFields,
    handler: async ({ app, body }) => ({
      message: 'Settings saved.',
      ...(await app.registration.save(body.fields, body.settings ?? {})),
    }),
  }),
  defineRoute({
    id: 'registration.form',
    method: 'get',
    paths: ['/registration/form'],
    access: policies.public,
    summary: 'Get the sign-up form for the visitor',
    response: schemas.signupForm,
    handler: async (call) => presentForm(await call.app.registration.form(await signupUser(call))),
  }),
  defineRoute({
    id: 'registration.state',
    method: 'get',
    paths: ['/registration/state'],
    access: policies.public,
    summary: "Get the visitor's status: guest, applicant or affiliate",
    response: schemas.signupState,
    handler: async (call) => presentState(await call.app.registration.state(await signupUser(call))),
  }),
  defineRoute({
    id: 'registration.register',
    method: 'post',
    paths: ['/registration'],
    access: policies.public,
    secret: true,
    summary: 'Apply to become an affiliate',
    body: schemas.signupBody,
    response: schemas.signupOutcome,
    handler: async (call) => presentOutcome(await register(call)),
  }),
  defineRoute({
    id: 'registration.verify',
    method: 'post',
    paths: ['/registration/verify'],
    access: policies.public,
    secret: true,
    summary: 'Complete an application with the code from the e-mail',
    body: schemas.confirmBody,
    response: schemas.signupOutcome,
    handler: async (call) =>
      presentOutcome(
        await call.app.registration.confirm(call.body.reference, call.body.code, await requestOf(call)),
      ),
  }),
  defineRoute({
    id: 'registration.invitation',
    method: 'get',
    paths: ['/registration/invitation'],
    access: policies.public,
    secret: true,
    summary: 'Get an invitation by the key in its link',
    query: schemas.invitedQuery,
    response: schemas.invitedResponse,
    handler: ({ app, query }) => app.registration.invited(query.key),
  }),
  defineRoute({
    id: 'registration.invited_manager',
    method: 'get',
    paths: ['/registration/manager'],
    access: policies.public,
    secret: true,
    summary: "Get the permissions of a manager's invitation, by the key in its link",
    query: schemas.invitedQuery,
    response: schemas.invitedManagerResponse,
    handler: ({ app, query }) => app.registration.invitedManager(query.key),
  }),
  defineRoute({
    id: 'registration.accept_manager',
    method: 'post',
    paths: ['/registration/manager'],
    access: policies.public,
    secret: true,
    summary: "Accept a manager's invitation as the signed-in user or with a new account",
    body: schemas.acceptManagerBody,
    response: schemas.acceptedManager,
    handler: async (call) => ({
      message: 'You are a manager now.',
      console_url: await call.app.registration.acceptManager(call.request.submitted, await requestOf(call)),
    }),
  }),
  defineRoute({
    id: 'registration.send_again',
    method: 'post',
    paths: ['/registration/send-again'],
    access: policies.public,
    secret: true,
    summary: 'Send a new code to an applicant, at most every 30 seconds',
    body: schemas.againBody,
    response: schemas.signupOutcome,
    handler: async (call) =>
      presentOutcome(await call.app.registration.sendAgain(call.body.reference, await requestOf(call))),
  }),
];

type AnyCall = Pick<Call<RouteDeps>, 'app' | 'user' | 'request'>;

// Existing forms send the code to the address of the first step.
async function register(call: AnyCall): ReturnType<RegistrationService['register']> {
  const { submitted } = call.request;
  const [token, code] = [submitted['__two_fa_signed_token'], submitted['_email_verification_code']];
  const request = await requestOf(call);
  if (typeof token === 'string' && token !== '')
    return call.app.registration.confirm(
      token,
      typeof code === 'string' || typeof code === 'number' ? String(code) : '',
      request,
    );
  return call.app.registration.register(submitted, request);
}

const requestOf = async (call: AnyCall): Promise<SignupRequest> => {
  const { id, url, ip, raw, response } = call.request;
  return { user: await signupUser(call), id, url, ip, raw, response };
};
