import { Menu } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import { useBoot } from '../../shared/boot.js';
import { useRead } from '../../shared/data.js';
import { t } from '../../shared/texts.js';

export interface ShareProps {
  /** The target page of the link, or the link itself. */
  readonly page?: string;
  readonly link?: string;
}

/** The networks the program offers for sharing, and mail. */
export function ShareMenu({
  button,
  page,
  link: given,
}: ShareProps & { button: ReactElement<object> }): ReactNode {
  const { program } = useBoot();
  const { data } = useRead('portal.links', page === undefined ? {} : { query: { url: page } });
  const link = given ?? data?.link ?? '';
  const mail = `mailto:?subject=${encodeURIComponent(program.siteName)}&body=${encodeURIComponent(link)}`;
  return (
    <Menu position="bottom-start" width={200} defaultOpened>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {(data?.social ?? []).map(({ key, title, icon_svg: icon, url }) => (
          <Menu.Item
            key={key}
            component="a"
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            // Icons of the service.
            leftSection={
              <span className="fa-social" aria-hidden="true" dangerouslySetInnerHTML={{ __html: icon }} />
            }
          >
            {key === 'email' ? t('Email') : title}
          </Menu.Item>
        ))}
        {!data?.social.some(({ key }) => key === 'email') && (
          <Menu.Item component="a" href={mail} leftSection={<IconMail size={16} />}>
            {t('Email')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
