import type { AffiliateService } from 'affiliate-service';

/** The terms, two groups with rates of their own, and what applicants are asked. */
export async function addProgram(service: AffiliateService): Promise<void> {
  await service.settings.saveReferralConfig({
    rate_type: 'percentage',
    rate: 10,
    referral_format: 'username',
    currency: 'USD',
    hold_days: 14,
  });
  await service.groups.create({
    meta_key: 'Creators',
    rate_type: 'percentage',
    rate: 15,
    status: 'active',
    notes: 'People with a channel of their own.',
  });
  await service.groups.create({
    meta_key: 'Press',
    rate_type: 'percentage',
    rate: 12.5,
    status: 'active',
    notes: 'Magazines and podcasts.',
  });
  const { fields } = await service.registration.list();
  await service.registration.save(
    [
      ...fields,
      {
        name: 'channel',
        type: 'select',
        label: 'Where will you tell people about us?',
        options: ['Website or blog', 'Newsletter', 'Social media', 'Video or podcast', 'Somewhere else'],
        required: 'no',
        enabled: 'yes',
        custom: 'yes',
      },
    ],
    {},
  );
  for (const feature of ['own_link_name', 'social_media_share', 'affiliate_qr_code'])
    await service.settings.features.save(feature, { is_enabled: 'yes' });
}

/** Pictures, texts and snippets to hand out. */
export async function addMaterial(service: AffiliateService, siteUrl: string): Promise<void> {
  const picture = (file: string): string => `${siteUrl}/assets/material/${file}`;
  for (const creative of [
    {
      name: 'Desk lamp, wide',
      description: 'For the top or the foot of a page.',
      type: 'banner',
      image: picture('lamp-wide.svg'),
      text: 'The walnut desk lamp by Fernway',
      url: `${siteUrl}/products/1`,
      meta: { media_width: 728, media_height: 200 },
    },
    {
      name: 'Fern in a pot, square',
      description: 'For posts and sidebars.',
      type: 'image',
      image: picture('fern-square.svg'),
      text: 'A fern that forgives a forgotten weekend',
      url: `${siteUrl}/products/6`,
      meta: { media_width: 400, media_height: 400 },
    },
    {
      name: 'Notebook, square',
      description: 'For posts and sidebars.',
      type: 'image',
      image: picture('notebook-square.svg'),
      text: 'Dotted paper that takes a fountain pen',
      url: `${siteUrl}/products/3`,
      meta: { media_width: 400, media_height: 400 },
    },
    {
      name: 'One sentence',
      description: 'A line for a newsletter.',
      type: 'text',
      text: 'Good things for the desk, made slowly and meant to stay.',
      url: `${siteUrl}/`,
    },
    {
      name: 'Box for a blog',
      description: 'A snippet of HTML with your link in it.',
      type: 'html',
      text: '<p><strong>My desk lamp:</strong> walnut, linen, made to be repaired. <a href="{{affiliate_link}}">See it at Fernway</a></p>',
      url: `${siteUrl}/products/1`,
    },
  ])
    await service.creatives.create({ privacy: 'public', status: 'active', ...creative });
}
