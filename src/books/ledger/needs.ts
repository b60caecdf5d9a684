import type { App, Platform } from '../../app.js';

/** What stands below every module, and the modules this one calls. */
export type Needs = Platform & Pick<App, 'audit' | 'works' | 'settings' | 'affiliates'>;
