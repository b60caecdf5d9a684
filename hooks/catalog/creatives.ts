import { isMap } from '../checks.js';
import { after, before, filter } from '../line.js';
import type { Creative, DataMap } from '../records.js';

export const creativeHooks = {
  create_creative_data: filter<DataMap>(
    [],
    'The data of a new creative (`name`, `type`, `url`, `privacy`, `affiliate_ids`, `group_ids`, `meta` …).',
    { check: isMap },
  ),
  update_creative_data: filter<DataMap, [creative: Creative]>(
    ['creative'],
    'The new data of a creative that is changed.',
    { check: isMap },
  ),
  after_create_creative: after<[creative: Creative]>(['creative'], 'A creative was created.'),
  creative_updated: after<[creative: Creative, previous: Creative]>(
    ['creative', 'previous'],
    'A creative was changed.',
  ),
  before_delete_creative: before<[creative: Creative]>(
    ['creative'],
    'A creative is about to be deleted. Throw to stop it.',
  ),
  after_delete_creative: after<[creative: Creative, id: number]>(
    ['creative', 'id'],
    'A creative was deleted; this is its last state.',
  ),
  creative_status_changed: after<[creative: Creative, status: string]>(
    ['creative', 'status'],
    'The status of a creative changed: by its schedule or by an administrator.',
  ),
} as const;
