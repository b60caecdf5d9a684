export const page = (title: string, body: string): string => `<!doctype html><title>${title}</title><h1>${title}</h1>${body}`;
