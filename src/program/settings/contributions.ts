import type { AfterCommit, Db } from '../../platform/database/db.js';
import type { SiteMarks } from './types.js';

/** What modules above the settings add to the configuration; registered when the service is built. */
export interface SettingsContributions {
  readonly providers: {
    keys(): readonly string[];
    /** The integrations that are switched on. */
    enabled(): Promise<readonly string[]>;
    enableAll(trx: Db, afterCommit: AfterCommit, keys: readonly string[]): Promise<void>;
  };
  /** The forms of the value with which a link names its affiliate. */
  linkForms(): Promise<readonly { readonly label: string; readonly value: string }[]>;
  /** What has to be done before the program's currency changes, and after that. */
  readonly currency: {
    prepare(from: string, to: string): Promise<void>;
    finish(): Promise<void>;
  };
  /** By what links and cookies of connected sites are recognized. */
  sites(): Promise<SiteMarks>;
}

export const NO_MARKS: SiteMarks = { variables: [], cookies: [] };
export const NO_CONTRIBUTIONS: SettingsContributions = {
  providers: { keys: () => [], enabled: async () => [], enableAll: async () => {} },
  currency: { prepare: async () => {}, finish: async () => {} },
  linkForms: async () => [],
  sites: async () => NO_MARKS,
};
