const { join } = require('node:path');

module.exports = ({ env }) => ({
  connection: {
    client: 'sqlite',
    connection: { filename: join(env('DATA_DIR', '.'), 'site.sqlite') },
    useNullAsDefault: true,
  },
});
