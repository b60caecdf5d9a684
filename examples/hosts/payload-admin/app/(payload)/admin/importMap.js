import { AffiliatesLink as AffiliatesLink_a574dcbf4d6cd98e5607906c1bfa7adf } from 'affiliate-service/payload/nav';
import { CollectionCards as CollectionCards_f9c02e79a4aed9a3924487c0cd4cafb1 } from '@payloadcms/next/rsc';

/** @type import('payload').ImportMap */
export const importMap = {
  'affiliate-service/payload/nav#AffiliatesLink': AffiliatesLink_a574dcbf4d6cd98e5607906c1bfa7adf,
  '@payloadcms/next/rsc#CollectionCards': CollectionCards_f9c02e79a4aed9a3924487c0cd4cafb1,
};
