// Sessions of Strapi itself, in a cookie no script can read.
module.exports = ({ env }) => ({
  'users-permissions': {
    config: {
      jwtSecret: env('JWT_SECRET'),
      jwtManagement: 'refresh',
      sessions: { httpOnly: true, cookie: { secure: env('PUBLIC_URL', '').startsWith('https:') } },
    },
  },
});
