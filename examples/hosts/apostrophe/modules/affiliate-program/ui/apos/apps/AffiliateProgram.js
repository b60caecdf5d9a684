// The item of the admin bar leads to the program's own pages.
export default () => {
  apos.bus.$on('admin-menu-click', (name) => {
    if (name === 'affiliate-program') window.location.assign('/affiliate-admin');
  });
};
