// The two pages of this shop.
const page = (title, form) =>
  `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>${title}</title><h1>${title}</h1>${form}`;

export const SHOP = page(
  'Shop',
  `<form method="post" action="/buy">
  <input name="email" type="email" aria-label="Your e-mail" required> <button>Buy for 100</button></form>`,
);

export const SIGN_IN = page(
  'Sign in',
  `<form method="post" action="/login">
  <p><label>E-mail <input name="email" type="email" required></label></p>
  <p><label>Password <input name="password" type="password" required></label></p>
  <p><button>Sign in</button></p></form>`,
);
