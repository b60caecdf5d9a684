import { withPayload } from '@payloadcms/next/withPayload';

export default withPayload({
  // The service opens its database and runs jobs: it stays a package of the server and is bundled nowhere.
  serverExternalPackages: ['affiliate-service'],
  // Console and portal live at `/admin/affiliates/` and `/partners/`, which Next would send
  // back to the form without slash.
  skipTrailingSlashRedirect: true,
});
