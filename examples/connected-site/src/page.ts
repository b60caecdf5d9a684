const STYLE = `body { font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 3rem auto; padding: 0 1rem; color: #1d2433 }
button { font: inherit; padding: .6rem 1.2rem; border: 0; border-radius: .4rem; background: #2452b8; color: #fff; cursor: pointer } a { color: #2452b8 }`;

export const page = (
  title: string,
  body: string,
): string => `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><link rel="icon" href="data:,"><style>${STYLE}</style><h1>${title}</h1>${body}</html>`;

/** What a sale came to, for people; programs ask for JSON. */
export const thanks = (
  title: string,
  {
    referral,
    queued,
  }: {
    readonly referral: { readonly amount: number; readonly affiliate_id: number | null } | null;
    readonly queued?: boolean;
  },
): string =>
  page(
    title,
    `<p>Thank you.</p><p>${
      queued
        ? 'The primary site cannot be told now: the order waits here and is reported later.'
        : referral
          ? `Affiliate ${referral.affiliate_id} earned ${referral.amount.toFixed(2)}.`
          : 'Nobody brought you, so nobody earned.'
    }</p><p><a href="/">Back</a></p>`,
  );
