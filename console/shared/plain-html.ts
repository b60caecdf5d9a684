/** Converts plain text to paragraphs; codes in double braces are unchanged. */
export function htmlOf(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').trim();
  if (escaped === '') return '';
  return escaped
    .split(/\n{2,}/)
    .map((part) => `<p>${part.trim().replaceAll('\n', '<br>')}</p>`)
    .join('');
}

const BLOCKS = 'p, div, li, h1, h2, h3, h4, tr';

/** Converts a mail to plain text, a paragraph per block; the URL of a link follows its text. */
export function plainOf(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const link of body.querySelectorAll('a')) {
    const address = link.getAttribute('href') ?? '';
    const words = link.textContent?.trim() ?? '';
    link.replaceWith(address === '' || address === words ? words : `${words} (${address})`);
  }
  for (const cell of body.querySelectorAll('td, th')) cell.append(' ');
  for (const line of body.querySelectorAll('br')) line.replaceWith('\n');
  for (const block of body.querySelectorAll(BLOCKS)) block.append('\n\n');
  return (body.textContent ?? '')
    .replaceAll(/##([^#\s]+)##/g, '{{$1}}') // codes in URLs have another form
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
