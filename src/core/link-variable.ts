/** Can this be the query parameter of referral links? Letters from a to z, and single `-` or `_`. */
export const isLinkVariable = (name: string): boolean =>
  /^[A-Za-z_-]{1,50}$/.test(name) && !/--|__/.test(name);
