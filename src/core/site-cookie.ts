/** The cookie of a connected site. Each has its own, since sites below one host share their cookies. */
export const siteCookie = (siteId: string): string => `f_aff_${siteId}`;
