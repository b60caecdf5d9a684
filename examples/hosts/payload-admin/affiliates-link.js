/** The item of the admin's navigation; a page of its own, so no link of the router. */
export const AffiliatesLink = () => (
  <a className="nav__link" href="/admin/affiliates/">
    <span className="nav__link-label">Affiliates</span>
  </a>
);
