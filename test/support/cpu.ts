/**
 * Milliseconds of this process's own work since `stopwatch()`:
 * what else the machine does at the same time must not fail a test.
 */
export function stopwatch(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}
