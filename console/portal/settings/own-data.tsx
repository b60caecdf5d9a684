import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { refreshSession, send, useBoot } from '../../shared/boot.js';
import { ConfirmButton } from '../../shared/buttons.js';
import { useTask, useWrite } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { saveFile } from '../../shared/download.js';
import { DownloadButton } from '../../shared/file-buttons.js';
import { FieldGroup } from '../../shared/form.js';
import { Panel } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { t } from '../../shared/texts.js';

/** The affiliate's personal data: export, leave the program, request deletion. */
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
          about={t('New orders no longer count. Earned commissions are still paid.')}
        >
          <Leave />
        </FieldGroup>
        <FieldGroup
          title={t('Delete your data')}
          about={t(
            'The program decides on your request. For accounting, it keeps amounts and dates of commissions and payments, without your name.',
          )}
        >
          <Deletion />
        </FieldGroup>
      </div>
    </Panel>
  );
}

function Files(): ReactNode {
  const everything = useTask(async () => {
    const { data } = await send('portal.data');
    saveFile(new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }), 'my-data.json');
  });
  return (
    <div className="fa-row">
      <Button
        variant="default"
        leftSection={<IconDownload size={16} />}
        loading={everything.running}
        onClick={() => everything.start()}
      >
        {t('Everything as JSON')}
      </Button>
      <DownloadButton name="portal-statement" of="portal.export_statement" input={{ query: {} }}>
        {t('Balance statement as CSV')}
      </DownloadButton>
    </div>
  );
}

function Leave(): ReactNode {
  const leave = useWrite('portal.leave', { quiet: true, done: t('You have left the program') });
  const { program } = useBoot();
  return (
    <div>
      <ConfirmButton
        variant="default"
        c="var(--fa-red)"
        question={{
          title: t('Leave the program?'),
          danger: true,
          text: t('New orders no longer count, starting now. {site} can let you in again.', {
            site: program.siteName,
          }),
          yes: t('Leave the program'),
          run: async () => {
            await leave.run({});
            await refreshSession();
          },
        }}
      >
        {t('Leave the program')}
      </ConfirmButton>
    </div>
  );
}

function Deletion(): ReactNode {
  const request = useWrite('portal.ask_deletion', { quiet: true, done: t('Your request is sent') });
  const withdraw = useWrite('portal.withdraw_deletion', { done: t('Your request was withdrawn') });
  return (
    <QueryView of="portal.profile">
      {({ deletion_asked_at: asked }) =>
        asked === null ? (
          <div>
            <ConfirmButton
              variant="default"
              c="var(--fa-red)"
              question={{
                title: t('Request deletion?'),
                danger: true,
                text: t(
                  'Wait until you are paid, because this also deletes your payment details. You can withdraw the request until then.',
                ),
                yes: t('Request deletion'),
                run: () => request.run({}),
              }}
            >
              {t('Request deletion')}
            </ConfirmButton>
          </div>
        ) : (
          <div className="fa-row">
            <span>
              {t('Requested on:')} <DateTime at={asked} day />
            </span>
            <Button variant="default" loading={withdraw.running} onClick={() => withdraw.press({})}>
              {t('Withdraw request')}
            </Button>
          </div>
        )
      }
    </QueryView>
  );
}
