export function payersProof(
  engine: 'sqlite' | 'postgres' | 'mysql',
  size: {
    readonly payments: number;
    readonly processes: number;
    readonly kills: number;
    readonly random: () => number;
    readonly seconds: number;
  },
): Promise<{
  readonly problems: readonly string[];
  readonly kills: number;
  readonly rounds: number | null;
  readonly paid: number;
  readonly returned: number;
}>;
