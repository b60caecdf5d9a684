const { mkdirSync } = require('node:fs');
const { join } = require('node:path');

// Strapi's uploads want their folder, which a copy of these files does not bring.
mkdirSync(join(__dirname, '..', 'public', 'uploads'), { recursive: true });

module.exports = ({ env }) => ({
  host: '127.0.0.1',
  port: env.int('PORT', 1337),
  url: env('PUBLIC_URL'),
  app: { keys: env.array('APP_KEYS') },
});
