import type { Group } from './types.js';
import { isMap } from '../../platform/hooks/checks.js';
import { after, before, defineHooks, filter, type DataMap } from '../../platform/hooks/line.js';

export const groupHooks = defineHooks(
  {
    before_create_affiliate_group: before<[data: DataMap]>(
      ['data'],
      "A group is about to be created; `data` is the request's input. Throw to stop it.",
    ),
    after_create_affiliate_group: after<[group: Group]>(['group'], 'A group was created.'),
    before_update_affiliate_group: before<[group: Group, data: DataMap]>(
      ['group', 'data'],
      "A group is about to be updated; `data` is the request's input. Throw to stop it.",
    ),
    after_update_affiliate_group: after<[group: Group, previous: Group]>(
      ['group', 'previous'],
      'A group was updated.',
    ),
    before_delete_affiliate_group: before<[group: Group]>(
      ['group'],
      'A group is about to be deleted. Move its affiliates here, or throw to stop it.',
    ),
    after_delete_affiliate_group: after<[groupId: number]>(['groupId'], 'A group was deleted.'),
    create_affiliate_group_data_value: filter<DataMap, [data: DataMap]>(
      ['data'],
      'The stored value of a new group (`rate_type`, `rate`, `status`, `notes`). Additional keys are stored and returned.',
      { check: isMap, bad: 'drop' },
    ),
    update_affiliate_group_data_value: filter<DataMap, [group: Group, data: DataMap]>(
      ['group', 'data'],
      'The stored value of an updated group.',
      { check: isMap, bad: 'drop' },
    ),
  },
  {
    'group.creating': 'before_create_affiliate_group',
    'group.created': 'after_create_affiliate_group',
    'group.updating': 'before_update_affiliate_group',
    'group.updated': 'after_update_affiliate_group',
    'group.deleting': 'before_delete_affiliate_group',
    'group.deleted': 'after_delete_affiliate_group',
    'group.create_data': 'create_affiliate_group_data_value',
    'group.update_data': 'update_affiliate_group_data_value',
  },
);
