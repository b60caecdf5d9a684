import type { Creative } from './types.js';
import { isMap } from '../../platform/hooks/checks.js';
import { after, before, defineHooks, filter, type DataMap } from '../../platform/hooks/line.js';

export const creativeHooks = defineHooks(
  {
    create_creative_data: filter<DataMap>(
      [],
      'The data of a new creative (`name`, `type`, `url`, `privacy`, `affiliate_ids`, `group_ids`, `meta` …).',
      { check: isMap },
    ),
    update_creative_data: filter<DataMap, [creative: Creative]>(
      ['creative'],
      'The new data of an updated creative.',
      { check: isMap },
    ),
    after_create_creative: after<[creative: Creative]>(['creative'], 'A creative was created.'),
    creative_updated: after<[creative: Creative, previous: Creative]>(
      ['creative', 'previous'],
      'A creative was updated.',
    ),
    before_delete_creative: before<[creative: Creative]>(
      ['creative'],
      'A creative is about to be deleted. Throw to stop it.',
    ),
    after_delete_creative: after<[creative: Creative, id: number]>(
      ['creative', 'id'],
      'A creative was deleted. `creative` is its last state.',
    ),
    creative_status_changed: after<[creative: Creative, status: string]>(
      ['creative', 'status'],
      "A creative's status changed, by its schedule or by an administrator.",
    ),
  },
  {
    'creative.create_data': 'create_creative_data',
    'creative.update_data': 'update_creative_data',
    'creative.created': 'after_create_creative',
    'creative.updated': 'creative_updated',
    'creative.deleting': 'before_delete_creative',
    'creative.deleted': 'after_delete_creative',
    'creative.status_changed': 'creative_status_changed',
  },
);
