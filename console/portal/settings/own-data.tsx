import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { ask } from '../../shared/ask.js';
import { refreshSession, send, useBoot } from '../../shared/boot.js';
import { useRead, useWrite } from '../../shared/data.js';
import { When } from '../../shared/dates.js';
import { useDownload } from '../../shared/download.js';
import { FieldGroup } from '../../shared/form.js';
import { Loaded, Panel } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { toast } from '../../shared/toast.js';

/** What the program holds of the reader, and the ways out. */
export function OwnData(): ReactNode {
  return (
    <Panel>
      <div className="fa-form">
        <FieldGroup
          title={t('Your data')}
          about={t(
            'Everything the program holds about you: profile, answers, payment details, commissions, payments and clicks.',
          )}
        >
          <Files />
        </FieldGroup>
        <FieldGroup
          title={t('Leave the program')}
          about={t('Your links stop counting. What you earned is still paid.')}
        >
          <Leave />
        </FieldGroup>
        <FieldGroup
          title={t('Delete your data')}
          about={t(
            'The people who run the program decide. Amounts and dates of commissions and payments stay, without your name, because the books need them.',
          )}
        >
          <Deletion />
        </FieldGroup>
      </div>
    </Panel>
  );
}

function Files(): ReactNode {
  const { start, running } = useDownload('portal-statement');
  const [isReading, setReading] = useState(false);
  const everything = async (): Promise<void> => {
    setReading(true);
    try {
      const { data } = await send('portal.data');
      save(JSON.stringify(data, null, 2), 'my-data.json');
    } catch (error) {
      toast.failed(error);
    } finally {
      setReading(false);
    }
  };
  const icon = <IconDownload size={15} />;
  return (
    <div className="fa-row">
      <Button variant="default" leftSection={icon} loading={isReading} onClick={() => void everything()}>
        {t('Everything as JSON')}
      </Button>
      <Button
        variant="default"
        leftSection={icon}
        loading={running}
        onClick={() => void start('portal.export_statement', { query: {} })}
      >
        {t('Balance statement as CSV')}
      </Button>
    </div>
  );
}

/** Hands the browser a file. */
function save(text: string, name: string): void {
  const href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = Object.assign(document.createElement('a'), { href, download: name });
  link.click();
  URL.revokeObjectURL(href);
}

function Leave(): ReactNode {
  const leave = useWrite('portal.leave', { quiet: true, done: t('You have left the program') });
  const { program } = useBoot();
  return (
    <div>
      <Button
        variant="default"
        c="var(--fa-red)"
        onClick={() =>
          ask({
            title: t('Leave the program?'),
            danger: true,
            text: t('Your links stop counting at once. {site} can let you in again.', {
              site: program.siteName,
            }),
            yes: t('Leave the program'),
            run: async () => {
              await leave.run({});
              await refreshSession();
            },
          })
        }
      >
        {t('Leave the program')}
      </Button>
    </div>
  );
}

function Deletion(): ReactNode {
  const reading = useRead('portal.profile', {});
  const request = useWrite('portal.ask_deletion', { quiet: true, done: t('Your request is sent') });
  const withdraw = useWrite('portal.withdraw_deletion', { done: t('Your request is taken back') });
  return (
    <Loaded of={reading}>
      {({ deletion_asked_at: asked }) =>
        asked === null ? (
          <div>
            <Button
              variant="default"
              c="var(--fa-red)"
              onClick={() =>
                ask({
                  title: t('Ask for deletion?'),
                  danger: true,
                  text: t(
                    'Wait until you are paid: with your data, your payment details are deleted too. You can take the request back until then.',
                  ),
                  yes: t('Ask for deletion'),
                  run: () => request.run({}),
                })
              }
            >
              {t('Ask for deletion')}
            </Button>
          </div>
        ) : (
          <div className="fa-row">
            <span>
              {t('You asked for it:')} <When at={asked} day />
            </span>
            <Button
              variant="default"
              loading={withdraw.running}
              onClick={() => void withdraw.run({}).catch(() => undefined)}
            >
              {t('Take it back')}
            </Button>
          </div>
        )
      }
    </Loaded>
  );
}
