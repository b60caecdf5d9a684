export function verdict(found: { readonly outcome?: string; readonly problems: readonly string[] }): string;
