import type { IncomingMessage } from 'node:http';
import type { HostUser } from '../../../adapters/host.js';
import { currencyDigits } from '../../core/currency.js';
import { decide } from './decide.js';
import type { Platform } from '../platform.js';
import type { Level } from './keys.js';
import { AccessMemo } from './memo.js';
import { policies, type Section } from './policies.js';
import type { ProgramFacts, Rights, Session } from './session.js';

/** The platform, and what a session shows of two modules. */
interface SessionNeeds extends Platform {
  readonly affiliates: { findByUser(userId: number): Promise<Session['affiliate']> };
  readonly settings: {
    referralConfig(): Promise<{
      readonly currency: string;
      readonly payout_method: string;
      readonly referral_variable: string;
    }>;
  };
}

const SECTIONS = ['affiliates', 'referrals', 'visits', 'payouts'] as const satisfies readonly Section[];
const NO_RIGHTS: Rights = {
  administrator: false,
  settings: false,
  options: false,
  messages: false,
  affiliates: 'none',
  referrals: 'none',
  visits: 'none',
  payouts: 'none',
};

/** Asks the host who sent this request and what they may do; does not look at the nonce. */
export async function sessionOf(app: SessionNeeds, req: IncomingMessage): Promise<Session> {
  const [user, config] = await Promise.all([app.host.currentUser(req), app.settings.referralConfig()]);
  const site = app.host.site();
  const program: ProgramFacts = {
    brand: app.options.brandName,
    siteName: site.name,
    siteUrl: site.url,
    uploads: app.host.files !== undefined || (app.options.uploads ?? '') !== '',
    timeZone: site.timeZone,
    loginUrl: site.loginUrl ?? null,
    currency: config.currency,
    digits: currencyDigits(config.currency),
    payoutMethod: config.payout_method,
    referralVariable: config.referral_variable,
  };
  if (user === null) return { user: null, nonce: null, rights: NO_RIGHTS, affiliate: null, program };
  const [nonce, affiliate, rights] = await Promise.all([
    app.host.nonces.create(user, req),
    app.affiliates.findByUser(user.id),
    rightsOf(app, user),
  ]);
  return {
    user: { id: user.id, name: user.full_name || user.display_name, email: user.email, avatar: user.avatar },
    nonce,
    rights,
    affiliate: affiliate && { id: affiliate.id, status: affiliate.status },
    program,
  };
}

async function rightsOf(app: SessionNeeds, user: HostUser): Promise<Rights> {
  const caller = { user, memo: new AccessMemo() };
  const level = async (section: Section): Promise<Level> => {
    if (await decide(app, caller, policies.section(section), 'write')) return 'write';
    return (await decide(app, caller, policies.section(section), 'read')) ? 'read' : 'none';
  };
  const [administrator, settings, options, messages, ...levels] = await Promise.all([
    decide(app, caller, policies.admin, 'write'),
    decide(app, caller, policies.settings, 'write'),
    decide(app, caller, policies.options, 'read'),
    decide(app, caller, policies.messages, 'write'),
    ...SECTIONS.map(level),
  ]);
  const [affiliates, referrals, visits, payouts] = levels as [Level, Level, Level, Level];
  return { administrator, settings, options, messages, affiliates, referrals, visits, payouts };
}
