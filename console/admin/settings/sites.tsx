import { Alert, Button, Modal, Switch, Textarea, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useOpenRecord } from '../../shared/address.js';
import { ConfirmButton } from '../../shared/buttons.js';
import { useRead, useWrite, type ResponseOf } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { NewButton } from '../../shared/url-dialog.js';
import { Loaded, Copy, Empty, Panel, Status } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';

type Config = ResponseOf<'sites.config'>['config'];
type Site = Config['sites'][number];
type IssuedToken = ResponseOf<'sites.issue'>;

/** Connected sites, which report their visits and orders here. */
export function Sites(): ReactNode {
  const reading = useRead('sites.config');
  const status = useWrite('sites.status');
  const [open, setOpen] = useOpenRecord();
  const opened = reading.data?.config.sites.find(({ site_id: id }) => id === open);
  const [issued, setIssued] = useState<IssuedToken | null>(null);
  return (
    <Panel
      title={t('Connected sites')}
      about={t('Other sites that report clicks and orders to this program.')}
      actions={<NewButton>{t('Connect a site')}</NewButton>}
    >
      <Loaded of={reading}>
        {({ config }) => (
          <div className="fa-stack">
            <Switch
              label={t('Sites may report')}
              checked={config.status === 'yes'}
              disabled={status.running}
              onChange={(event) =>
                status.press({ body: { status: event.currentTarget.checked ? 'yes' : 'no' } })
              }
            />
            {config.sites.length === 0 ? (
              <Empty
                title={t('No site is connected')}
                text={t('Connect another shop, so that its sales earn commissions in this program.')}
              />
            ) : (
              <SiteRows sites={config.sites} onOpen={(site) => setOpen(site.site_id)} onIssued={setIssued} />
            )}
          </div>
        )}
      </Loaded>
      <Modal
        opened={open === 'new' || opened !== undefined}
        onClose={() => setOpen(null)}
        title={open === 'new' ? t('Connect a site') : t('Connected site')}
      >
        {open === 'new' && (
          <ConnectForm
            onClose={() => setOpen(null)}
            onIssued={(response) => {
              setOpen(null);
              setIssued(response);
            }}
          />
        )}
        {opened && <SiteForm site={opened} onClose={() => setOpen(null)} />}
      </Modal>
      <Modal
        opened={issued !== null}
        onClose={() => setIssued(null)}
        title={t('Copy this now')}
        size="lg"
        closeOnClickOutside={false}
      >
        {issued !== null && (
          <div className="fa-stack">
            <Alert color="yellow">
              {t(
                'Paste this text into the site’s connector now. You can’t see it again, but you can create a new one.',
              )}
            </Alert>
            <div className="fa-row">
              <span className="fa-strong">{issued.new_site.site_title || issued.new_site.site_url}</span>{' '}
              <Copy value={issued.connect_config} />
            </div>
            <code className="fa-code-block" tabIndex={0}>
              {issued.connect_config}
            </code>
            <div className="fa-form-buttons">
              <Button onClick={() => setIssued(null)}>{t('I have copied it')}</Button>
            </div>
          </div>
        )}
      </Modal>
    </Panel>
  );
}

function SiteRows({
  sites,
  onOpen,
  onIssued,
}: {
  sites: readonly Site[];
  onOpen: (site: Site) => void;
  onIssued: (issued: IssuedToken) => void;
}): ReactNode {
  const disconnect = useWrite('sites.disconnect', { quiet: true });
  const issue = useWrite('sites.issue', { quiet: true, done: null });
  return (
    <div className="fa-rows">
      {sites.map((site) => (
        <div key={site.site_id}>
          <span>
            <span className="fa-strong">{site.site_title || site.site_url}</span> <Status of={site.status} />
            <br />
            <span className="fa-faint">
              {site.last_seen_at === null ? (
                t('Never seen')
              ) : (
                <>
                  {t('Seen')} <DateTime at={site.last_seen_at} />
                </>
              )}
            </span>
          </span>
          <span className="fa-row">
            <TestButton site={site} />
            <Button size="compact-sm" variant="default" onClick={() => onOpen(site)}>
              {t('Edit')}
            </Button>
            <ConfirmButton
              size="compact-sm"
              variant="default"
              question={{
                title: t('Create a new token?'),
                text: t('The old token stops working at once. Enter the new one in the site.'),
                yes: t('New token'),
                run: async () =>
                  onIssued(
                    await issue.run({ body: { site_url: site.site_url, site_title: site.site_title } }),
                  ),
              }}
            >
              {t('New token')}
            </ConfirmButton>
            <ConfirmButton
              size="compact-sm"
              variant="subtle"
              color="gray"
              question={{
                title: t('Disconnect {site}?', { site: site.site_title || site.site_url }),
                danger: true,
                yes: t('Disconnect'),
                text: t('The site can no longer report orders. Existing orders stay.'),
                run: () => disconnect.run({ body: { site_id: site.site_id } }),
              }}
            >
              {t('Disconnect')}
            </ConfirmButton>
          </span>
        </div>
      ))}
    </div>
  );
}

/** Tests the connection to the site. */
function TestButton({ site }: { site: Site }): ReactNode {
  const test = useWrite('sites.test', { done: null });
  const [reachable, setReachable] = useState<boolean | null>(null);
  return (
    <>
      <span role="status">
        {reachable !== null && (
          <Status
            of={reachable ? 'ok' : 'failed'}
            label={reachable ? t('It responds') : t('It isn’t responding')}
          />
        )}
      </span>
      <Button
        size="compact-sm"
        variant="default"
        loading={test.running}
        onClick={() =>
          void test.run({ body: { site_id: site.site_id } }).then(
            (response) => setReachable(response.reachable),
            () => undefined,
          )
        }
      >
        {t('Test')}
      </Button>
    </>
  );
}

function ConnectForm({
  onClose,
  onIssued,
}: {
  onClose: () => void;
  onIssued: (issued: IssuedToken) => void;
}): ReactNode {
  const issue = useWrite('sites.issue', { quiet: true, done: null });
  const form = useForm({ site_url: '', site_title: '', child_token: '' }, async (values) =>
    onIssued(
      await issue.run({
        body: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')),
      }),
    ),
  );
  return (
    <FormFrame form={form} yes={t('Connect')} onCancel={onClose}>
      <TextInput
        label={t('URL of the site')}
        type="url"
        placeholder="https://"
        data-autofocus
        {...form.text('site_url')}
      />
      <TextInput label={t('Name')} {...form.text('site_title')} />
      <Textarea
        label={t('Text of its connector')}
        description={t('Instead of the address, where the connector shows one')}
        {...form.text('child_token')}
      />
    </FormFrame>
  );
}

function SiteForm({ site, onClose }: { site: Site; onClose: () => void }): ReactNode {
  const update = useWrite('sites.update', { quiet: true });
  const form = useForm(
    {
      site_title: site.site_title,
      param_key: site.param_key,
      cookie_duration: String(site.cookie_duration),
      credit_last_referrer: site.credit_last_referrer,
      status: site.status === 'active' ? 'yes' : 'no',
    },
    async (_values, { status, ...data }) => {
      const word = status === 'yes' ? 'active' : 'inactive';
      await update.run({
        body: { site_id: site.site_id, data: { ...data, ...(status !== undefined && { status: word }) } },
      });
      onClose();
    },
    undefined,
    {
      figures: (values) => [
        {
          field: 'cookie_duration',
          label: t('Days a click counts'),
          typed: values.cookie_duration,
          unit: 'count',
        },
      ],
    },
  );
  return (
    <FormFrame form={form} onCancel={onClose}>
      <TextInput label={t('Name')} data-autofocus {...form.text('site_title')} />
      <Switch label={t('May report')} {...form.flag('status')} />
      <TextInput label={t('Parameter in the link')} {...form.text('param_key')} />
      <TextInput label={t('Days a click counts')} inputMode="numeric" {...form.text('cookie_duration')} />
      <Switch
        label={t('The affiliate of the last click is credited')}
        {...form.flag('credit_last_referrer')}
      />
    </FormFrame>
  );
}
