import { generatePageMetadata, RootPage } from '@payloadcms/next/views';
import config from '../../../../payload.config.js';
import { importMap } from '../importMap.js';

export const generateMetadata = (args) => generatePageMetadata({ config, ...args });
export default function Page(args) {
  return RootPage({ config, importMap, ...args });
}
