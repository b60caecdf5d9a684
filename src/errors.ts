/**
 * Every error a caller can get: code → HTTP status and text. Clients may rely on codes, not on texts. A text
 * never contains input, SQL or messages of drivers. Rows are in the order of the modules that throw them.
 */
export const ERRORS = {
  // requests
  rest_no_route: [404, 'No route matches this address and method.'],
  rest_invalid_json: [400, 'The request body is not valid JSON.'],
  body_already_read: [
    400,
    'Your host has already read the request body. ' +
      'Mount the service before body parsers, or keep the bytes in req.rawBody.',
  ],
  rest_forbidden: [403, 'You do not have permission to do that.'],
  rest_cookie_invalid_nonce: [403, 'The nonce is wrong or has expired. Reload the page.'],
  api_key_invalid: [401, 'The API key is wrong, was revoked or has expired.'],
  validation_failed: [422, 'Some fields are not valid.'],
  payload_too_large: [413, 'The request is too large.'],
  uri_too_long: [414, 'The URL is too long.'],
  unsupported_media_type: [415, 'Send JSON or a form-encoded body.'],
  rate_limited: [429, 'Too many requests. Try again later.'],
  too_many_exports: [429, 'Too many exports are running. Try again later.'],
  idempotency_key_reused: [422, 'This Idempotency-Key was used for a different request.'],
  idempotency_committed: [
    409,
    'A request with this Idempotency-Key succeeded, but its response was not stored. Read the object instead of repeating the request.',
  ],
  idempotency_in_progress: [409, 'A request with this Idempotency-Key is still running.'],
  internal_error: [500, 'Something went wrong. The cause has been logged.'],
  host_answer_invalid: [
    500,
    'The host adapter returned a value that cannot be used. `data.part` names the part of the adapter.',
  ],
  busy: [503, 'The database is busy. Try again.'],
  not_started: [503, 'The affiliate service is not available yet. Try again.'],
  service_closed: [503, 'The affiliate service is closed.'],
  search_too_slow: [422, 'The search took too long. Choose fewer days, one affiliate or one column.'],
  closed_for_wipe: [503, 'All data is being deleted. Try again later.'],
  outcome_unknown: [503, 'The connection was lost while saving. Check before you repeat the request.'],
  invalid_date_range: [422, 'Send both dates as YYYY-MM-DD. The start must not be after the end.'],
  amount_overflow: [422, 'The amount is too large: at most 99,999,999,999.99.'],
  hook_aborted: [422, 'An extension stopped the operation.'],
  settings_changed: [412, 'These settings have changed since you loaded them. Reload them before you save.'],
  self_management_forbidden: [403, 'You may not change your own affiliate data.'],
  // affiliates and groups
  affiliate_not_found: [404, 'No such affiliate.'],
  affiliate_exists: [422, 'This user is already an affiliate.'],
  affiliate_inactive: [422, 'The affiliate is not active.'],
  invalid_status: [422, 'The status must be one of: pending, active, inactive.'],
  status_unchanged: [422, 'The affiliate already has this status.'],
  merge_with_itself: [422, 'Choose two different affiliates.'],
  merge_into_inactive: [422, 'An active affiliate cannot be merged into an inactive one.'],
  merge_payout_open: [422, 'One of these affiliates has an open payment. Mark it as paid or undo it first.'],
  currency_changing: [
    409,
    'The currency of the program is being changed. Wait until the change has finished.',
  ],
  recount_running: [409, 'The figures are being recounted. Wait until the recount has finished.'],
  merge_running: [
    409,
    'One of these affiliates is already being merged. Wait until that merge has finished.',
  ],
  merge_import_running: [422, 'An import is not finished. Wait until it has finished.'],
  group_not_found: [404, 'No such group.'],
  group_name_taken: [422, 'Another group has this name.'],
  // referrals and conversions
  coupon_not_found: [404, 'No affiliate has this coupon.'],
  customer_not_found: [404, 'No such customer.'],
  customer_name_taken: [422, 'Another customer has this e-mail address. Merge the two customers instead.'],
  own_customer: [422, 'This customer is the affiliate. Affiliates cannot be their own customers.'],
  customer_linked: [422, 'The customer belongs to another affiliate.'],
  referral_not_found: [404, 'No such commission.'],
  referral_paid: [422, 'The commission is paid and cannot be changed.'],
  referral_locked: [422, 'The commission is being paid and cannot be changed.'],
  referral_without_order: [
    422,
    'This commission has no order. Only commissions of orders can be moved to another affiliate.',
  ],
  order_ended: [422, 'Nothing is due for this order: it was refunded, canceled or not paid.'],
  referral_given_away: [422, 'The order of this commission was moved to another affiliate.'],
  order_credited: [409, 'This order already has a commission.'],
  conversion_conflict: [422, 'This conversion was recorded with different data.'],
  suspicion_not_found: [404, 'No such suspicion.'],
  // reward rules
  reward_rules_not_found: [404, 'No such rule set.'],
  reward_rules_not_draft: [422, 'Only a draft can be changed. Create a new draft from this rule set.'],
  reward_rules_undecided: [
    422,
    'Two rules with the same scope and priority can match the same order. Give them different priorities.',
  ],
  reward_rules_not_active: [422, 'This rule set is not active.'],
  simulation_required: [
    422,
    'Simulate this draft first and send the hash of the simulation, or set without_simulation.',
  ],
  simulation_outdated: [422, 'The simulation is older than 24 hours, or the draft has changed since.'],
  terms_not_public: [404, 'The terms of this program are not public.'],
  // payouts
  payout_not_found: [404, 'No such payout.'],
  transaction_not_found: [404, 'No such payment.'],
  nothing_to_pay: [422, 'There is nothing to pay.'],
  currency_owed: [
    422,
    'Affiliates are still owed money in the current currency (`data.owed`). Set `confirm` to change the currency anyway.',
  ],
  payout_open: [422, 'A payout is still open (`data.payouts`). Set `confirm` to change the currency anyway.'],
  payout_in_progress: [409, 'This payout is still in progress. Wait until it has finished.'],
  work_not_found: [404, 'No such operation.'],
  payout_rejected: [422, 'An extension rejected the payout.'],
  preview_outdated: [422, 'The preview is out of date.'],
  transaction_paid: [422, 'A paid payment cannot be deleted or set back to an earlier status.'],
  payee_changed: [
    422,
    'The affiliate changed the payment details after the payout was created. Use the new details, or set `confirm` to mark the payment as paid with the earlier ones.',
  ],
  transaction_changed: [
    422,
    'Some of these commissions were refunded or disputed after the payout was created. ' +
      'Set `confirm` to mark the payment as paid anyway.',
  ],
  payment_file_part_not_found: [404, 'The payment file has no such part.'],
  payment_in_flight: [
    409,
    'This payment was sent and its outcome is not known yet. Wait for the report of the payer, cancel the payment there, or settle it here.',
  ],
  payment_sent: [409, 'The payer has paid this payment, so it stays paid until the payer returns it.'],
  payer_not_found: [404, 'No such payer.'],
  payer_not_ready: [422, 'This payment method cannot send payments yet. Enter its credentials first.'],
  payer_failed: [502, 'The payer returned an unexpected response. Try again later.'],
  payment_not_found: [404, 'No such payment.'],
  payment_settled: [409, 'This payment has a final status, so it cannot be changed.'],
  payment_not_cancelable: [422, 'This payment method cannot cancel a payment.'],
  payments_changed: [422, 'The number or the total of the payments has changed. Review them and try again.'],
  nothing_to_send: [422, 'No payment is ready to be sent.'],
  payment_details_refused: [422, 'These payment details cannot be used.'],
  bank_answer_unreadable: [422, 'This file is not a bank status report for a payment file.'],
  finding_not_found: [404, 'No such finding.'],
  payout_method_failed: [502, 'The payout method could not create its file.'],
  approval_required: [
    403,
    'Another user has to confirm a payout of this size, in a browser and not with an API key.',
  ],
  // creatives, portal, reports
  creative_not_found: [404, 'No such creative.'],
  invoice_not_asked: [422, 'This program does not ask for invoice details.'],
  file_not_found: [404, 'No such file.'],
  picture_invalid: [422, 'The file must be a complete PNG, JPEG, GIF or WebP picture.'],
  uploads_off: [422, 'This site does not accept uploads. Enter the URL of a picture instead.'],
  targets_required: [422, 'Choose at least one affiliate or group for a private creative.'],
  feature_disabled: [422, 'This feature is switched off.'],
  link_not_found: [404, 'No such link.'],
  slug_taken: [422, 'Another link has this name.'],
  link_names_disabled: [422, 'Link names are switched off in this program.'],
  too_many_links: [422, 'You have reached the maximum number of links. Delete one you no longer use.'],
  foreign_url: [422, 'The URL belongs to another site.'],
  custom_field_invalid: [422, 'One of the additional fields was rejected.'],
  provider_not_found: [404, 'No such report provider.'],
  // events
  webhook_not_found: [404, 'No such webhook.'],
  delivery_not_found: [404, 'No such delivery.'],
  events_restarted: [
    409,
    'There is no event with this ID, because the database was restored from a backup. Read again from 0. ' +
      'Events you already have keep their webhook_id.',
  ],
  delivery_not_replayable: [422, 'This delivery did not fail, or its content is no longer stored.'],
  too_many_webhooks: [422, 'There are already 50 webhooks. Delete unused ones first.'],
  webhook_secret_lost: [
    422,
    "The secret of this webhook cannot be decrypted with the service's `secret`. Add the earlier one to `previousSecrets`, or rotate the secret of the webhook.",
  ],
  // managers and API keys
  api_key_not_found: [404, 'No such API key.'],
  api_key_of_other_user: [
    422,
    'Make and change API keys for yourself only: send your own user_id or none. You can revoke any key.',
  ],
  too_many_api_keys: [422, 'There are already 200 API keys. Delete unused ones first.'],
  user_not_found: [422, 'No such user.'],
  manager_is_admin: [422, 'An administrator already has all rights.'],
  permissions_required: [422, 'Choose at least one right.'],
  manager_not_found: [404, 'No such manager.'],
  // settings
  invalid_email: [422, 'The e-mail address is not valid.'],
  invalid_email_key: [422, 'No such notification mail.'],
  email_required: [
    422,
    'This mail is always sent: `active` must be yes. You can change its subject and text.',
  ],
  setting_locked: [422, 'This setting is fixed by the operator of the site.'],
  unknown_feature: [422, 'No such feature.'],
  no_addon_keys: [422, 'Choose at least one addon.'],
  addons_unsupported: [422, 'This site cannot install addons.'],
  cannot_install: [422, 'You are not allowed to install addons.'],
  pages_unsupported: [422, 'This site cannot create pages.'],
  title_required: [422, 'Enter a title.'],
  page_exists: [422, 'A page with this address already exists.'],
  // connected sites
  invalid_site_url: [422, 'Enter the https URL of the site, without a query string and login.'],
  invalid_child_token: [422, 'The text from the connector of the site is not valid.'],
  site_is_primary: [422, 'This is the address of the primary site itself.'],
  too_many_sites: [422, 'You have reached the maximum number of connected sites.'],
  outbox_entry_not_found: [404, 'No failed outbox entry has this ID.'],
  site_not_found: [404, 'No such connected site.'],
  secret_missing: [422, 'Set the option `secret` to connect sites. It encrypts their keys.'],
  site_auth_failed: [401, 'The credentials of the site are missing or wrong.'],
  conversion_signature_invalid: [403, 'The signature of this conversion is missing or wrong.'],
  signature_expired: [401, 'The signature is too old or from the future.'],
  signature_replayed: [401, 'This signed request was already received.'],
  signed_request_required: [403, 'Sign the request; the plain form is not accepted here.'],
  multi_site_disabled: [403, 'Connected sites are switched off.'],
  site_inactive: [403, 'This connected site is not active.'],
  too_many_attempts: [429, 'Too many failed attempts. Try again later.'],
  url_outside_site: [422, 'The URL is not on the domain of the connected site.'],
  visit_mismatch: [422, 'The visit belongs to another affiliate or is too old.'],
  // registration
  registration_closed: [422, 'Sign-up is closed.'],
  registration_unsupported: [422, 'This site cannot create accounts here. Sign in first.'],
  registration_refused: [422, 'The application was rejected.'],
  verification_failed: [422, 'The code is wrong.'],
  verification_expired: [422, 'The code has expired. Start again.'],
  verification_blocked: [429, 'Too many wrong codes. Start again.'],
  captcha_failed: [422, 'The security check failed. Please try again.'],
  captcha_unavailable: [502, 'The security check is not available. Try again later.'],
  mail_not_sent: [502, 'The mail could not be sent. Try again later.'],
  invitation_not_found: [404, 'No such invitation.'],
  invitation_unknown: [422, 'This invitation link is not valid.'],
  invitation_expired: [422, 'This invitation has expired. Ask for a new one.'],
  invitation_closed: [422, 'The invitation was accepted or withdrawn.'],
  invitation_open: [422, 'Another invitation to this address is open. Send that one again.'],
  invitation_other_account: [
    422,
    'This invitation was sent to another e-mail address than the one of your account.',
  ],
  message_not_found: [404, 'No such message.'],
  message_reaches_nobody: [422, 'No active affiliate would get this message. Choose other recipients.'],
  unsubscribe_unknown: [422, 'This link is not valid. Turn off messages in the settings of your portal.'],
  // setup guide
  guide_mail_unknown: [422, 'This link is not from the latest test mail.'],
  guide_no_affiliate: [422, 'The test order needs an active affiliate. Add or approve one first.'],
  guide_order_earned_nothing: [
    422,
    'The test order earned no commission. Check the commission rate of the program.',
  ],
  // integrations
  integration_not_found: [404, 'No such integration.'],
  integration_save_failed: [422, 'The integration could not be saved.'],
  integration_unavailable: [422, 'The integration is not available.'],
  webhook_signature_invalid: [400, 'The signature is missing or wrong.'],
  webhook_payload_invalid: [400, 'The body is not a JSON object.'],
  webhook_raw_body_missing: [
    500,
    'The body was parsed before it could be verified. ' +
      'Mount the router before body parsers, or keep the bytes in req.rawBody.',
  ],
  // migrations
  migrator_not_found: [422, 'No such import source.'],
  import_not_started: [422, 'This import was not started. Start it first, then run it.'],
  invalid_stage: [422, 'The stored stage of the import is not known.'],
  confirmation_required: [422, 'Enter the confirmation text exactly.'],
  import_currency_unknown: [422, 'Set the currency of the old system.'],
  import_currency_differs: [422, 'This program already has amounts in another currency than the old system.'],
  import_zone_unknown: [422, 'Set the time zone of the old site.'],
  import_status_unknown: [422, 'Map each status of the old system to a status here.'],
  import_provider_unknown: [422, 'Use only letters, digits, - and _ in the name of a provider.'],
  import_not_empty: [422, 'This program is not empty. A program can only be imported into an empty one.'],
  import_file_invalid: [422, 'The file cannot be read.'],
  migration_running: [409, 'An import is running.'],
  // license
  license_key_required: [422, 'Enter a license key.'],
  license_invalid: [422, 'The license key was rejected.'],
  license_server_unreachable: [502, 'The license server could not be reached.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof ERRORS;

/** Rule name → text, as in `{ rate: { min: 'must be 0 or more' } }`. */
export type FieldErrors = Record<string, Record<string, string>>;

export interface FailOptions {
  /** Replaces the status of the table: `group_not_found` is 422 where the group is a field of the body. */
  readonly status?: number;
  /** A fixed text, ours or an extension's; never request input. */
  readonly message?: string;
  readonly fields?: FieldErrors;
  /** Extra keys of the response's `data`. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Extra keys of the response's top level. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

export class AffiliateError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly fields: FieldErrors | undefined;
  readonly data: Readonly<Record<string, unknown>>;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, options: FailOptions = {}) {
    super(
      options.message ?? ERRORS[code][1],
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'AffiliateError';
    this.code = code;
    this.status = options.status ?? ERRORS[code][0];
    this.fields = options.fields;
    this.data = options.data ?? {};
    this.extra = options.extra ?? {};
    this.retryAfter = options.retryAfter;
  }
}

/** Throws: `(await find(id)) ?? fail('affiliate_not_found')`. */
export function fail(code: ErrorCode, options?: FailOptions): never {
  throw new AffiliateError(code, options);
}

/** 422 `validation_failed` with one map per field; a sentence that several rules share appears once. */
export function failFields(fields: FieldErrors): never {
  const sentences = Object.values(fields).flatMap((rules) => Object.values(rules));
  return fail('validation_failed', { fields, message: [...new Set(sentences)].join(' ') });
}

/** Collects the failures of several fields and throws them together. */
export class FieldCheck {
  /** Without a prototype, because a field may have any name. */
  readonly #fields: FieldErrors = Object.create(null) as FieldErrors;

  add(field: string, rule: string, text: string): this {
    (this.#fields[field] ??= {})[rule] = text;
    return this;
  }

  get isEmpty(): boolean {
    return Object.keys(this.#fields).length === 0;
  }

  throwIfAny(): void {
    if (!this.isEmpty) failFields(this.#fields);
  }
}
