import { HookVeto, type AffiliateService, type Extension } from 'affiliate-service';

const PAGE = 200;

/**
 * Adds a field of its own to affiliate groups, `tier`, and never leaves affiliates without a group:
 * before one is deleted its members move to the fallback group, which itself cannot be deleted.
 */
export function loyalty(options: { readonly fallbackGroup: string }): Extension {
  return {
    name: 'loyalty',
    setup(service) {
      const { hooks } = service;
      // The filter gets what will be stored and all that was submitted, our field included.
      hooks.addFilter('create_affiliate_group_data_value', (value, data) => ({
        ...value,
        tier: tierOf(data['tier'], 'bronze'),
      }));
      hooks.addFilter('update_affiliate_group_data_value', (value, group, data) => ({
        ...value,
        tier: tierOf(data['tier'] ?? group.value['tier'], 'bronze'),
      }));
      hooks.addAction('before_delete_affiliate_group', async (group) => {
        if (group.meta_key === options.fallbackGroup) throw new HookVeto('The fallback group stays.');
        await moveMembers(service, group.id, await fallbackId(service, options.fallbackGroup));
      });
    },
  };
}

const TIERS: readonly unknown[] = ['bronze', 'silver', 'gold'];

const tierOf = (value: unknown, fallback: string): unknown => (TIERS.includes(value) ? value : fallback);

async function fallbackId(service: AffiliateService, name: string): Promise<number> {
  const known = (await service.groups.names()).find((group) => group.name === name);
  return (
    known?.id ?? (await service.groups.create({ meta_key: name, rate_type: 'default', status: 'active' })).id
  );
}

async function moveMembers(service: AffiliateService, from: number, to: number): Promise<void> {
  for (;;) {
    // Each round empties the first page.
    const { rows } = await service.affiliates.list(
      { page: 1, per_page: PAGE, groupId: from },
      { bankDetails: false },
    );
    for (const { id } of rows) await service.affiliates.update(Number(id), { group_id: to });
    if (rows.length < PAGE) return;
  }
}
