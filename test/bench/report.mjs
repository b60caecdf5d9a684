import { cpus, loadavg, release, totalmem } from 'node:os';

const NAMES = {
  bare: 'bare Express handler', known: 'page behind the tracker, known cookie', click: 'page with a new tracked click, stored',
  conversion: 'conversion recorded', read: 'GET /affiliates/{id}, signed in',
};

export const machine = () => ({
  date: new Date().toISOString().slice(0, 16).replace('T', ' '), cores: cpus().length, model: cpus()[0]?.model.trim() || 'unknown',
  memory: `${Math.round(totalmem() / 2 ** 30)} GiB`, system: `${process.platform} ${release()}`, node: process.version, load: loadavg()[0].toFixed(1),
});

/** The text of RESULTS.md. */
export function report({ facts, seconds, connections, measured }) {
  const parts = measured.map(({ name, version, rows, books, problems }) => {
    const bare = rows.find(({ scenario }) => scenario === 'bare').rate;
    const lines = rows.map(({ scenario, rate, p50, p99 }) => `| ${NAMES[scenario]} | ${Math.round(rate)} | ${p50} | ${p99} | ${(rate / bare).toFixed(2)} |`);
    return `## ${name} (${version})\n\n| What | requests/s | p50 ms | p99 ms | of bare |\n|---|---|---|---|---|\n${lines.join('\n')}\n\n`
      + `Stored: ${books.visits} visits, ${books.referrals} referrals. ${problems.length === 0 ? 'Nothing answered was lost; the books balance.' : `Problems: ${problems.join('; ')}`}\n`;
  });
  return `# Bench\n\nWritten by \`npm run bench\`. Host, load${measured.length > 1 ? ', database servers' : ''} and everything else shared one machine, so only the ratios travel.\n\n`
    + `${facts.date} UTC, ${facts.cores} × ${facts.model}, ${facts.memory}, ${facts.system}, Node ${facts.node}, load average at the start ${facts.load}; `
    + `${connections} connections, ${seconds} s per row after 2 s to warm up; Express 5, one process.\n\n${parts.join('\n')}`;
}
