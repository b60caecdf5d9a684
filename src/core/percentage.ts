/** "1,234.50%": two decimals, computed with integers and rounded half up; "0.00%" when the whole is 0. */
export function percentage(part: number, whole: number): string {
  if (whole <= 0) return '0.00%';
  const hundredths = (BigInt(part) * 20_000n + BigInt(whole)) / (2n * BigInt(whole));
  const text = String(hundredths).padStart(3, '0');
  return `${text.slice(0, -2).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')}.${text.slice(-2)}%`;
}
