async function copy(button) {
  const field = document.getElementById(button.dataset.copy);
  const note = button.parentElement.querySelector('[role=status]');
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    note.textContent = 'Copied';
  } catch {
    note.textContent = 'Press Ctrl+C to copy'; // the clipboard is closed to pages without TLS
  }
}

for (const button of document.querySelectorAll('[data-copy]'))
  button.addEventListener('click', () => void copy(button));
