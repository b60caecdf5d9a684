import type { HostMail } from 'affiliate-service/adapters';

/** This example sends no mail: it prints what it would send. */
export async function printMail({ to, subject, text }: HostMail): Promise<void> {
  process.stdout.write(`\n  Mail to ${to}: ${subject}\n${text.replaceAll(/^/gmu, '    ')}\n`);
}
