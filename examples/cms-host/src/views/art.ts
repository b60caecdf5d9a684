import { html, type Html } from './html.js';

interface Picture {
  readonly tone: string;
  readonly shapes: Html;
}

const PICTURES: Readonly<Record<string, Picture>> = {
  lighting: {
    tone: 'sand',
    shapes: html`<path d="M70 150h60v8H70z" fill="#6d4a2f" /><path d="M97 78h6v72h-6z" fill="#8a6244" /><path
        d="M62 82 80 36h40l18 46z"
        fill="#f4d58d"
      /><path d="M62 82h76v5H62z" fill="#d9b15f" /><circle cx="100" cy="92" r="8" fill="#fff6d8" />`,
  },
  kitchen: {
    tone: 'mint',
    shapes: html`<path d="M60 66h70v70a16 16 0 0 1-16 16H76a16 16 0 0 1-16-16z" fill="#3f7d58" /><path
        d="M130 82h10a18 18 0 0 1 0 36h-10v-10h9a8 8 0 0 0 0-16h-9z"
        fill="#2f6346"
      /><path d="M60 66h70v10H60z" fill="#56946d" /><path
        d="M80 54c-5-7 5-11 0-18m15 18c-5-7 5-11 0-18m15 18c-5-7 5-11 0-18"
        fill="none"
        stroke="#a9c6b4"
        stroke-width="4"
        stroke-linecap="round"
      />`,
  },
  paper: {
    tone: 'sky',
    shapes: html`<path d="M62 40h78v122H62z" fill="#2e5266" /><path
        d="M68 46h72v110H68z"
        fill="#f7f4ec"
      /><path d="M62 40h16v122H62z" fill="#244252" /><g fill="#9fb3bf"
        ><circle cx="92" cy="66" r="2" /><circle cx="108" cy="66" r="2" /><circle
          cx="124"
          cy="66"
          r="2" /><circle cx="92" cy="84" r="2" /><circle cx="108" cy="84" r="2" /><circle
          cx="124"
          cy="84"
          r="2" /><circle cx="92" cy="102" r="2" /><circle cx="108" cy="102" r="2" /><circle
          cx="124"
          cy="102"
          r="2" /><circle cx="92" cy="120" r="2" /><circle cx="108" cy="120" r="2" /><circle
          cx="124"
          cy="120"
          r="2" /></g
      ><path d="M128 40h7v70l-3.500-6-3.500 6z" fill="#c8553d" />`,
  },
  bags: {
    tone: 'clay',
    shapes: html`<path d="M74 76c0-40 52-40 52 0" fill="none" stroke="#7a4e2d" stroke-width="7" /><rect
        x="48"
        y="72"
        width="104"
        height="82"
        rx="10"
        fill="#b08b5a"
      /><path d="M48 82a10 10 0 0 1 10-10h84a10 10 0 0 1 10 10v30H48z" fill="#9a7546" /><path
        d="M70 72h9v58h-9zm51 0h9v58h-9z"
        fill="#7a4e2d"
      /><path d="M68 116h13v12H68zm51 0h13v12h-13z" fill="#e3c57b" />`,
  },
  desk: {
    tone: 'stone',
    shapes: html`<rect x="34" y="62" width="132" height="84" rx="8" fill="#707a78" /><rect
        x="40"
        y="68"
        width="120"
        height="72"
        rx="5"
        fill="none"
        stroke="#8f9a97"
        stroke-dasharray="5 4"
        stroke-width="2"
      /><rect x="50" y="84" width="68" height="34" rx="4" fill="#f2efe8" /><path
        d="M56 91h56v4H56zm0 8h56v4H56zm0 8h56v4H56z"
        fill="#c9c6bd"
      /><rect x="130" y="86" width="20" height="30" rx="10" fill="#f2efe8" /><path
        d="M139 90h2v8h-2z"
        fill="#a5a29a"
      />`,
  },
  plants: {
    tone: 'leaf',
    shapes: html`<g fill="none" stroke="#2f6b3c" stroke-width="6" stroke-linecap="round"
        ><path d="M100 112C98 82 98 62 100 40" /><path d="M100 112c-6-28-20-44-38-52" /><path
          d="M100 112c6-28 20-44 38-52" /><path d="M100 112c-14-16-30-22-46-20" /><path
          d="M100 112c14-16 30-22 46-20" /></g
      ><path d="M72 112h56l-7 46H79z" fill="#c8683f" /><path d="M68 106h64v12H68z" fill="#b3572f" />`,
  },
};

/** A drawing for a product's category; decoration only, the title stands beside it. */
export function picture(category: string): Html {
  const { tone, shapes } = PICTURES[category] ?? PICTURES['desk'] ?? { tone: 'stone', shapes: html`` };
  return html`<svg class="art ${tone}" viewBox="20 20 160 150" aria-hidden="true" focusable="false">
    ${shapes}
  </svg>`;
}
