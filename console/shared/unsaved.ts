// Forms with unsaved changes; leaving the screen asks first.
export const unsaved = new Set<symbol>();
export const hasUnsaved = (): boolean => unsaved.size > 0;
export const forgetUnsaved = (): void => unsaved.clear();

if (typeof window !== 'undefined')
  window.addEventListener('beforeunload', (event) => {
    if (hasUnsaved()) event.preventDefault();
  });
