import type { SchemaStep } from '../migrate.js';
import { initialStep } from './001-initial.js';
import { orderCausesStep } from './002-orders.js';
import { sitesStep } from './003-sites.js';
import { namesStep } from './004-names.js';
import { doorsStep } from './005-doors.js';
import { erasureStep } from './006-erasure.js';
import { moneyStep } from './007-money.js';
import { customerNamesStep } from './008-customer-names.js';
import { storesStep } from './009-stores.js';
import { sitesImportsStep } from './010-sites-imports.js';
import { longWorkStep } from './012-long-work.js';
import { payoutAttemptsStep } from './013-payout-attempts.js';
import { peopleStep } from './014-people.js';
import { clicksStep } from './015-clicks.js';
import { bouncesStep } from './016-bounces.js';
import { countedInStep } from './017-counted-in.js';
import { detailsMarksStep } from './018-details-marks.js';
import { rewardRulesStep } from './019-reward-rules.js';
import { levelsStep } from './020-levels.js';
import { subIdsStep } from './021-sub-ids.js';
import { visitLinksStep } from './022-visit-links.js';
import { leavingStep } from './023-leaving.js';
import { apartStep } from './024-apart.js';
import { payeeFormsStep } from './025-payee-forms.js';
import { operationMessagesStep } from './026-operation-messages.js';
import { commissionNotesStep } from './028-commission-notes.js';
import { fullAmountStep } from './029-full-amount.js';

/** In the order they are applied; some numbers were never used. None is removed: a database may have stopped at any. */
export const STEPS: readonly SchemaStep[] = [
  initialStep,
  orderCausesStep,
  sitesStep,
  namesStep,
  doorsStep,
  erasureStep,
  moneyStep,
  customerNamesStep,
  storesStep,
  sitesImportsStep,
  longWorkStep,
  payoutAttemptsStep,
  peopleStep,
  clicksStep,
  bouncesStep,
  countedInStep,
  detailsMarksStep,
  rewardRulesStep,
  levelsStep,
  subIdsStep,
  visitLinksStep,
  leavingStep,
  apartStep,
  payeeFormsStep,
  operationMessagesStep,
  commissionNotesStep,
  fullAmountStep,
];
