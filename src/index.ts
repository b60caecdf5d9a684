export {
  createAffiliateService,
  type AffiliateService,
  type AffiliateServiceOptions,
  type Extension,
  type Handler,
  type MountTarget,
} from './service/service.js';
export { openSource, type SourceConnection } from '../adapters/database/source.js';
export { HookVeto } from '../hooks/errors.js';
export { AffiliateError, ERRORS, type ErrorCode, type FieldErrors } from './errors.js';
export type { DatabaseOption, ResolvedOptions } from './options.js';
export type * from './core/extension-parts.js';
export type { Language, Localized } from './core/localized.js';
export type { Health } from './service/health.js';
export type { PluginGlobals, PluginPlaces } from './service/plugin-globals.js';
export type { Metrics, QueueMetrics } from './service/metrics.js';
export type { Risk, RiskCode } from './platform/risks.js';
export type * from './app/public-api.js';
export type { CallContext } from './platform/call-context.js';
export type { Clock } from './core/clock.js';
export { consoleLogger, silentLogger, type Logger } from './core/logger.js';
export { minor, type Minor } from './core/money.js';
export type { Page } from './core/page.js';
export type { PayoutWithCountsDto, ReferralWithAffiliateDto } from './accounting/api-schemas.js';
export type { AffiliateDto, GroupDto } from './program/api-schemas.js';
export type { HostAdapter, HostMail, HostPage, HostSite, HostUser } from '../adapters/host.js';
export type { Mailer } from '../adapters/mailer.js';
export type { Hooks } from '../hooks/registry.js';
export type { HookTaps, TapOptions, Untap } from '../hooks/tap.js';
export { KEY_RIGHTS, type KeyRight } from './platform/access/key-rights.js';
export type { ApiKey, ApiKeyInput, ApiKeyPatch, IssuedApiKey } from './program/api-keys/types.js';
export type { Affiliate, AffiliateInput, AffiliatePatch } from './program/affiliates/index.js';
export type {
  ConnectedSite,
  IssuedSite,
  IssueInput,
  ShareEntry,
  SitesConfig,
} from './channels/connected-sites/types.js';
export type * from './attribution/conversions/types.js';
export type { Group, GroupValue } from './program/groups/index.js';
export type { LedgerPost, Repair, Violation } from './accounting/ledger/types.js';
export type * from './accounting/payouts/types.js';
export type * from '../adapters/payers.js';
export { STAGES } from './core/imports/stages.js';
export { csvMigrator } from './channels/imports/csv/csv.js';
export type { CsvFile, CsvSource } from './channels/imports/csv/source.js';
export {
  defineMigrator,
  wordpressMigrators,
  type MigratorDefinition,
  type StageReader,
  type WordpressSource,
} from '../adapters/imports/index.js';
export type {
  AliasKind,
  Migrator,
  ProgramSettings,
  Raw,
  SourceAffiliate,
  SourceAlias,
  SourceCoupon,
  SourceCreative,
  SourceCustomer,
  SourceGroup,
  SourcePage,
  SourcePayment,
  SourceReferral,
  SourceUser,
  SourceVisit,
  Stage,
  StageRows,
} from '../adapters/imports.js';
export type { ImportReport } from './channels/imports/types.js';
export type { Referral } from './accounting/referrals/types.js';
export type {
  RegistrationField,
  RegistrationSettings,
  SignupForm,
  SignupOutcome,
  SignupRequest,
  SignupState,
} from './channels/registration/index.js';
export type { ReferralConfig } from './program/settings/index.js';
export type { Visit } from './accounting/visits/index.js';
export type { ProgramFacts, Rights, Session, SessionUser } from './platform/access/session.js';
